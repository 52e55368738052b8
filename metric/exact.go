package metric

// The exact p-values are for the counts of about a hundred runs. Tests are two-sided in Fisher's sense: the p-value is
// the probability of all outcomes that are at most as likely as the one seen. A normal distribution would be wrong at
// the rates of the watch bugs, which are near 0 and 1.

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

// Interval is the exact 95 % confidence interval of the chance of a success, if k of n trials were
// successes (Clopper and Pearson 1934).
func Interval(k, n int) (low, high float64) {
	if k > 0 {
		low = chance(func(p float64) bool { return AtLeast(k, n, p) < outside })
	}
	high = 1
	if k < n {
		high = chance(func(p float64) bool { return 1-AtLeast(k+1, n, p) > outside })
	}
	return low, high
}

// outside is how likely the interval lies to one side of the real chance, at most.
const outside = 0.025

// chance is where a condition ends that holds for small chances.
func chance(holds func(p float64) bool) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		if mid := (low + high) / 2; holds(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

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
