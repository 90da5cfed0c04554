package mp2_test

import (
	"fmt"
	"log"

	"trnsci/core/mp2"
)

func ExampleRestricted() {
	// One occupied orbital, two virtual orbitals, two auxiliary functions.
	b, err := mp2.NewIntegrals([]float64{0.3, 0.1, 0.0, 0.2}, mp2.LayoutIAP, 1, 2, 2)
	if err != nil {
		log.Fatal(err)
	}
	r, err := mp2.Restricted(b, []float64{-0.5}, []float64{0.5, 0.75}, mp2.EnergyOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f hartree, of which %.6f between equal spins\n", r.Total(), r.SameSpin)
	fmt.Println("known to 12 digits:", r.ErrorBound < 1e-12*-r.Total())
	// Output:
	// -0.005996 hartree, of which 0.000000 between equal spins
	// known to 12 digits: true
}

func ExampleUnrestricted() {
	// Two alpha electrons and one beta electron in orbitals that share two virtual ones.
	alpha, err := mp2.NewIntegrals([]float64{0.3, 0.1, 0.0, 0.2, 0.1, 0.1, 0.2, 0.0}, mp2.LayoutIAP, 2, 2, 2)
	if err != nil {
		log.Fatal(err)
	}
	beta := alpha
	beta.Nocc = 1
	occ, vir := []float64{-1, -0.5}, []float64{0.5, 0.75}
	r, err := mp2.Unrestricted(alpha, beta, occ, occ[:1], vir, vir, mp2.EnergyOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("alpha-alpha %.6f, beta-beta %.6f, alpha-beta %.6f\n", r.AlphaAlpha, r.BetaBeta, r.OppositeSpin)
	// Output: alpha-alpha -0.000582, beta-beta 0.000000, alpha-beta -0.006131
}
