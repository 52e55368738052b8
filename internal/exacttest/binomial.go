package exacttest

import "math"

// BinomialTwoSided is the p-value of k successes in n trials if each succeeds
// with probability p, which is known exactly. If p was measured too, use
// FisherTwoSided.
func BinomialTwoSided(k, n int, p float64) float64 {
	switch {
	case k < 0 || k > n || p < 0 || p > 1 || math.IsNaN(p):
		return math.NaN()
	case p == 0:
		return indicator(k == 0)
	case p == 1:
		return indicator(k == n)
	}
	return atMostAsLikely(0, n, k, func(i int) float64 {
		return logChoose(n, i) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p)
	})
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
