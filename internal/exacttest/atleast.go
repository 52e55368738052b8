package exacttest

import "math"

// AtLeast is the probability of k or more successes in n trials if each succeeds
// with probability p.
func AtLeast(k, n int, p float64) float64 {
	if p <= 0 {
		return indicator(k <= 0)
	}
	below := 0.0
	for i := range k {
		below += math.Exp(logChoose(n, i) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return 1 - below
}
