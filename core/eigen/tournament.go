package eigen

// TournamentRounds returns the number of rounds in which each of n players can meet each other one once: n-1 for an even n; n for an
// odd one, as one player rests in each round; 0 if there is nobody to meet.
func TournamentRounds(n int) int {
	if n < 2 {
		return 0
	}
	return n - 1 + n%2
}

// AppendRound appends the pairs of a round, 0 <= round < TournamentRounds(n), to pairs: floor(n/2) disjoint pairs (p, q) with
// 0 <= p < q < n. All rounds together have each pair once. They are the order in which the parallel Jacobi methods rotate.
//
// The pairs are those of the circle method: p + q is 2 round modulo the number of rounds, and for an even n the player n-1 meets the one who
// would meet himself. A sweep in this order, the modulus order, does what a sweep by rows does but for the order of rotations that
// commute (Luk and Park, "On parallel Jacobi orderings", SIAM J. Sci. Stat. Comput. 10, 1989).
func AppendRound(pairs [][2]int, n, round int) [][2]int {
	rounds := TournamentRounds(n)
	if n%2 == 0 && n > 0 {
		pairs = append(pairs, [2]int{round, n - 1})
	}
	for k := 1; k <= (rounds-1)/2; k++ {
		p, q := (round+k)%rounds, (round-k+rounds)%rounds
		pairs = append(pairs, [2]int{min(p, q), max(p, q)})
	}
	return pairs
}

// restingPlayer returns the player who is in no pair of a round, or -1 if there is none.
func restingPlayer(n, round int) int {
	if n%2 == 0 {
		return -1
	}
	return round
}
