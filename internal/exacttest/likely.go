package exacttest

import "math"

// tieTolerance makes outcomes equally likely that differ by rounding only (the
// mirror images of a symmetric distribution); R's fisher.test has the same.
const tieTolerance = 1e-7

// atMostAsLikely sums the probabilities of the outcomes from lo to hi that are
// not likelier than the one seen.
func atMostAsLikely(lo, hi, seen int, logProbability func(int) float64) float64 {
	limit := logProbability(seen) + tieTolerance
	var sum float64
	for i := lo; i <= hi; i++ {
		if lp := logProbability(i); lp <= limit {
			sum += math.Exp(lp)
		}
	}
	return min(sum, 1)
}

func logChoose(n, k int) float64 { return logFactorial(n) - logFactorial(k) - logFactorial(n-k) }

func logFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}
