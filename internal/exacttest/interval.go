package exacttest

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
