package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSmallValuesAreExact(t *testing.T) {
	for v := int64(0); v < 2*subBuckets; v++ {
		assert.Equal(t, v, middle(bucketOf(v)))
	}
}

func TestBucketsAreWithinTheirError(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	last := -1
	for _, v := range []int64{31, 32, 63, 64, 65, 66, 127, 128, 1 << 20, 1<<20 + 1, 1<<40 - 1, 1 << 40, math.MaxInt64} {
		b := bucketOf(v)
		assert.GreaterOrEqual(t, b, last, "buckets follow the values: %d", v)
		last = b
	}
	for range 100_000 {
		v := r.Int64() >> r.IntN(63)
		error := math.Abs(float64(middle(bucketOf(v)) - v))
		require.LessOrEqual(t, error, float64(v)/64, "%d stands for %d", middle(bucketOf(v)), v)
	}
}

func TestQuantiles(t *testing.T) {
	var d Distribution
	// 1 ms, 2 ms ... 1000 ms: the percentiles are known.
	for v := int64(1); v <= 1000; v++ {
		d.Record(v * 1e6)
	}
	assert.EqualValues(t, 1000, d.Count())
	assert.EqualValues(t, 1e6, d.Min())
	assert.EqualValues(t, 1000e6, d.Max())
	assert.InDelta(t, 500.5e6, d.Mean(), 1)
	assert.InEpsilon(t, 500e6, d.Quantile(0.5), 1./64)
	assert.InEpsilon(t, 990e6, d.Quantile(0.99), 1./64)
	assert.EqualValues(t, 1000e6, d.Quantile(1))
	assert.EqualValues(t, 1e6, d.Quantile(0))
}

func TestNothingRecorded(t *testing.T) {
	var d Distribution
	assert.Zero(t, d.Quantile(0.99))
	assert.Zero(t, d.Mean())
	assert.Zero(t, d.Max())
	d.Record(-5)
	assert.Zero(t, d.Min(), "a negative value counts as none")
	assert.EqualValues(t, 1, d.Count())
}

// TestMergeInAnyOrder: a campaign must not depend on which worker is done first.
func TestMergeInAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	parts := make([]Distribution, 10)
	var whole Distribution
	for i := range parts {
		for range r.IntN(200) {
			v := r.Int64() >> (20 + r.IntN(40))
			parts[i].Record(v)
			whole.Record(v)
		}
	}
	for range 20 {
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		var merged Distribution
		for i := range parts {
			merged.Merge(&parts[i])
		}
		require.Equal(t, whole, merged)
	}
}

func TestResetForgets(t *testing.T) {
	var d Distribution
	d.Record(5)
	d.Record(1 << 30)
	d.Reset()
	assert.Zero(t, d.Count())
	assert.False(t, slices.ContainsFunc(d.buckets, func(n uint64) bool { return n != 0 }))
	d.Record(1 << 20)
	assert.EqualValues(t, 1<<20, d.Min())
	assert.EqualValues(t, 1<<20, d.Quantile(1))
}

func BenchmarkRecord(b *testing.B) {
	var d Distribution
	for i := range b.N {
		d.Record(int64(i) * 1000)
	}
}
