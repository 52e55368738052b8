package exacttest

import "math"

// FisherTwoSided is the p-value of seeing k1 successes in n1 trials and k2 in
// n2 if both had the same probability, whatever it is.
func FisherTwoSided(k1, n1, k2, n2 int) float64 {
	if k1 < 0 || k1 > n1 || k2 < 0 || k2 > n2 {
		return math.NaN()
	}
	k := k1 + k2
	total := logChoose(n1+n2, k)
	return atMostAsLikely(max(0, k-n2), min(n1, k), k1, func(i int) float64 {
		return logChoose(n1, i) + logChoose(n2, k-i) - total
	})
}
