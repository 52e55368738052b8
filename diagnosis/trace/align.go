package trace

import "slices"

// Pair is a step of each of two runs; -1 is none.
type Pair struct{ A, B int }

// Alike reports whether there are both steps, and the same comes of them.
func (p Pair) Alike(a, b *Trace) bool {
	same := func(x, y Note) bool { return x.Node == y.Node && x.Text == y.Text }
	return p.A >= 0 && p.B >= 0 && slices.EqualFunc(a.Steps[p.A].Notes, b.Steps[p.B].Notes, same)
}

// maxAligned is how many steps of each run are compared with all of the other one. What follows stays without a
// counterpart.
const maxAligned = 2_000

// Align puts the steps of two runs beside each other that have the same name, which a message has from its cause: as many
// as that is possible for in order (a longest common subsequence).
func Align(a, b *Trace) []Pair {
	begin := 0
	for begin < len(a.Steps) && begin < len(b.Steps) && a.Steps[begin].Name == b.Steps[begin].Name {
		begin++
	}
	n, m := min(len(a.Steps)-begin, maxAligned), min(len(b.Steps)-begin, maxAligned)
	// common[i][j] is how many are the same from i and j on.
	common := make([][]int32, n+1)
	for i := range common {
		common[i] = make([]int32, m+1)
	}
	same := func(i, j int) bool { return a.Steps[begin+i].Name == b.Steps[begin+j].Name }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if same(i, j) {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	var pairs []Pair
	for i := range begin {
		pairs = append(pairs, Pair{i, i})
	}
	i, j := 0, 0
	for i < n || j < m {
		switch {
		case i < n && j < m && same(i, j):
			pairs = append(pairs, Pair{begin + i, begin + j})
			i, j = i+1, j+1
		case j == m || i < n && common[i+1][j] >= common[i][j+1]:
			pairs = append(pairs, Pair{begin + i, -1})
			i++
		default:
			pairs = append(pairs, Pair{-1, begin + j})
			j++
		}
	}
	for i += begin; i < len(a.Steps); i++ {
		pairs = append(pairs, Pair{i, -1})
	}
	for j += begin; j < len(b.Steps); j++ {
		pairs = append(pairs, Pair{-1, j})
	}
	return pairs
}
