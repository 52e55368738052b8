package metric_test

import (
	"math"
	"testing"

	"github.com/watchbed/watchbed/metric"
)

// near compares with a value that was added up by hand.
func near(t *testing.T, want, got float64, of ...any) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%v: %.12f, want %.12f", of, got, want)
	}
}

func TestBinomialKnownValues(t *testing.T) {
	for _, c := range []struct {
		k, n int
		p    float64
		want float64
	}{
		// Small enough to add up by hand, in units of p^i q^(n-i).
		{0, 1, 0.5, 1},
		{0, 4, 0.5, 2.0 / 16},
		{1, 4, 0.5, 10.0 / 16},
		{2, 4, 0.5, 1},
		{3, 3, 0.25, 1.0 / 64},
		{0, 3, 0.25, 1}, // 0 and 1 are equally likely
		{2, 3, 0.25, 10.0 / 64},
		// A fair coin, 10 of 10 and 1 of 10.
		{10, 10, 0.5, 2.0 / 1024},
		{1, 10, 0.5, 22.0 / 1024},
		// Certainties.
		{0, 100, 0, 1},
		{1, 100, 0, 0},
		{100, 100, 1, 1},
		{99, 100, 1, 0},
		{0, 0, 0.3, 1},
	} {
		near(t, c.want, metric.BinomialTwoSided(c.k, c.n, c.p), c)
	}
}

func TestFisherKnownValues(t *testing.T) {
	for _, c := range []struct {
		k1, n1, k2, n2 int
		want           float64
	}{
		// The lady tasting tea: 3 of 4 and 1 of 4.
		{3, 4, 1, 4, 34.0 / 70},
		{4, 4, 0, 4, 2.0 / 70},
		{2, 4, 2, 4, 1},
		{0, 100, 0, 100, 1},
		{100, 100, 100, 100, 1},
		// 0 of 3 and 3 of 5: C(5,3)/C(8,3) plus whatever is not likelier.
		{0, 3, 3, 5, (10.0 + 1) / 56},
		{0, 0, 3, 7, 1},
	} {
		near(t, c.want, metric.FisherTwoSided(c.k1, c.n1, c.k2, c.n2), c)
		near(t, c.want, metric.FisherTwoSided(c.k2, c.n2, c.k1, c.n1), "exchanged", c)
	}
}

// An exact test never rejects the true hypothesis more often than it says.
func TestBinomialKeepsItsLevel(t *testing.T) {
	const n = 100
	for _, p := range []float64{0.01, 0.2, 0.5, 0.79, 0.99} {
		for _, level := range []float64{0.001, 0.05} {
			var rejected float64
			for k := 0; k <= n; k++ {
				if metric.BinomialTwoSided(k, n, p) <= level {
					rejected += math.Exp(lchoose(n, k) + float64(k)*math.Log(p) + float64(n-k)*math.Log(1-p))
				}
			}
			if rejected > level+1e-12 {
				t.Errorf("p=%g: rejects with probability %g at level %g", p, rejected, level)
			}
		}
	}
}

func lchoose(n, k int) float64 {
	var s float64
	for i := 1; i <= k; i++ {
		s += math.Log(float64(n-k+i) / float64(i))
	}
	return s
}

func TestOutOfRangeIsNotANumber(t *testing.T) {
	for _, v := range []float64{
		metric.BinomialTwoSided(-1, 10, 0.5),
		metric.BinomialTwoSided(11, 10, 0.5),
		metric.BinomialTwoSided(1, 10, 1.5),
		metric.FisherTwoSided(2, 1, 0, 1),
		metric.FisherTwoSided(0, 1, -1, 1),
	} {
		if !math.IsNaN(v) {
			t.Errorf("got %g for an impossible count", v)
		}
	}
}

func TestAtLeastKnownValues(t *testing.T) {
	for _, c := range []struct {
		k, n int
		p    float64
		want float64
	}{
		{0, 3, 0.5, 1},
		{1, 3, 0.5, 7.0 / 8},
		{3, 3, 0.5, 1.0 / 8},
		{2, 2, 0.1, 0.01},
		{1, 5, 0, 0},
		{0, 5, 0, 1},
	} {
		near(t, c.want, metric.AtLeast(c.k, c.n, c.p), c)
	}
}

// TestIntervalKnownValues: the first rows can be solved by hand, and the last is that of published tables.
func TestIntervalKnownValues(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{
		{0, 10, 0, 1 - math.Pow(0.025, 0.1)},
		{10, 10, math.Pow(0.025, 0.1), 1},
		{1, 2, 1 - math.Sqrt(0.975), math.Sqrt(0.975)},
		{5, 10, 0.1871, 0.8129},
	} {
		low, high := metric.Interval(c.k, c.n)
		if math.Abs(low-c.low) > 5e-5 || math.Abs(high-c.high) > 5e-5 {
			t.Errorf("Interval(%d, %d) = %.6f, %.6f, want %.6f, %.6f", c.k, c.n, low, high, c.low, c.high)
		}
	}
}
