package eigen

import (
	"fmt"
	"testing"
)

func TestTournament(t *testing.T) {
	for n := range 40 {
		met := make(map[[2]int]int)
		for round := range TournamentRounds(n) {
			playing := make([]bool, n)
			pairs := AppendRound(nil, n, round)
			if len(pairs) != n/2 {
				t.Fatalf("n = %d, round %d: %d pairs", n, round, len(pairs))
			}
			for _, pair := range pairs {
				p, q := pair[0], pair[1]
				if p < 0 || p >= q || q >= n || playing[p] || playing[q] {
					t.Fatalf("n = %d, round %d: %v", n, round, pairs)
				}
				playing[p], playing[q] = true, true
				met[pair]++
			}
		}
		if len(met) != n*(n-1)/2 {
			t.Errorf("n = %d: %d pairs met", n, len(met))
		}
		for pair, times := range met {
			if times != 1 {
				t.Errorf("n = %d: %v met %d times", n, pair, times)
			}
		}
	}
}

func ExampleAppendRound() {
	for round := range TournamentRounds(4) {
		fmt.Println(AppendRound(nil, 4, round))
	}
	// Output:
	// [[0 3] [1 2]]
	// [[1 3] [0 2]]
	// [[2 3] [0 1]]
}
