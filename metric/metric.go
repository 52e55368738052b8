// Package metric (unstable) has what timed runs measure, and the distribution of what was recorded.
// Package sim records it and campaigns merge it. The package must never import any other package of
// this module.
package metric

import (
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Metric is something that timed runs measure: how long a read waited, how many
// requests went out. Each world keeps what was recorded, and a campaign merges
// it over its runs. Untimed there is no clock and every timer may fire at any
// point, so neither a duration nor a count would mean anything: nothing is
// recorded.
type Metric uint16

// Unit is what the values of a metric are.
type Unit uint8

const (
	// Counted: a number of things.
	Counted Unit = iota
	// Nanoseconds of virtual time.
	Nanoseconds
	// Bytes of keys and values, without any encoding unless the metric's help names one.
	Bytes
)

func (u Unit) String() string { return [...]string{"", "ns", "bytes"}[u] }

type metricRecord struct {
	name, help string
	unit       Unit
	counter    bool
}

var metrics []metricRecord

// New registers a metric of which the distribution is kept; call it in
// package variable declarations only, so that the numbers are the same in every
// process. The name is Prometheus's, labels included, where there is a metric
// of that name upstream.
func New(name string, u Unit, help string) Metric {
	return register(metricRecord{name: name, help: help, unit: u})
}

// NewCounter registers a metric of which only the sum is kept.
func NewCounter(name string, u Unit, help string) Metric {
	return register(metricRecord{name: name, help: help, unit: u, counter: true})
}

func register(r metricRecord) Metric {
	for i := range metrics {
		if metrics[i].name == r.name {
			panic("metric: registered twice: " + r.name)
		}
	}
	metrics = append(metrics, r)
	return Metric(len(metrics) - 1)
}

// All are all that this binary knows, in the order of registration.
func All() []Metric {
	all := make([]Metric, len(metrics))
	for i := range all {
		all[i] = Metric(i)
	}
	return all
}

// String is the metric's name.
func (m Metric) String() string { return metrics[m].name }

// Help says in one line what the values are.
func (m Metric) Help() string { return metrics[m].help }

// Unit is what the values are.
func (m Metric) Unit() Unit { return metrics[m].unit }

// IsCounter reports whether only the sum is kept.
func (m Metric) IsCounter() bool { return metrics[m].counter }

// Count is how many metrics this binary knows.
func Count() int { return len(metrics) }

// Distribution is what was recorded of one metric. The order in
// which worlds are merged does not matter: each field is a sum, a minimum or a
// maximum. The zero value is empty.
//
// Values are counted in log-linear buckets: those below subBuckets have a bucket
// each, and every octave above is cut into subBuckets of the same width. What
// Quantile returns is off by at most 1/64 of the value.
type Distribution struct {
	count    uint64
	sum      int64
	min, max int64
	// buckets[first:end] may differ from zero, and nothing else: a run that
	// recorded little is forgotten as quickly.
	buckets    []uint64
	first, end int
}

const (
	subBucketBits = 5
	subBuckets    = 1 << subBucketBits
)

func bucketOf(v int64) int {
	if v < subBuckets {
		return int(v)
	}
	octave := bits.Len64(uint64(v)) - subBucketBits - 1
	return octave<<subBucketBits + int(v>>octave)
}

// middle is the value that stands for a bucket.
func middle(bucket int) int64 {
	if bucket < 2*subBuckets {
		return int64(bucket)
	}
	octave := bucket>>subBucketBits - 1
	return int64(bucket-octave<<subBucketBits)<<octave + 1<<octave>>1
}

// Record adds a value. Negative values count as 0.
func (d *Distribution) Record(v int64) {
	v = max(v, 0)
	b := bucketOf(v)
	d.include(b, b+1)
	d.buckets[b]++
	d.extend(v, v, 1, v)
}

// Add adds to a counter.
func (d *Distribution) Add(n int64) {
	d.count++
	d.sum += n
}

func (d *Distribution) extend(lowest, highest int64, count uint64, sum int64) {
	if d.count == 0 {
		d.min, d.max = lowest, highest
	} else {
		d.min, d.max = min(d.min, lowest), max(d.max, highest)
	}
	d.count += count
	d.sum += sum
}

// include makes buckets[first:end] usable.
func (d *Distribution) include(first, end int) {
	if end > len(d.buckets) {
		d.buckets = append(d.buckets, make([]uint64, end-len(d.buckets))...)
	}
	if d.end == 0 {
		d.first, d.end = first, end
		return
	}
	d.first, d.end = min(d.first, first), max(d.end, end)
}

// Merge adds what another distribution of the same metric holds.
func (d *Distribution) Merge(o *Distribution) {
	if o.count == 0 {
		return
	}
	if o.end > 0 {
		d.include(o.first, o.end)
		for i := o.first; i < o.end; i++ {
			d.buckets[i] += o.buckets[i]
		}
	}
	d.extend(o.min, o.max, o.count, o.sum)
}

// written is the form in JSON: Buckets are those from First on.
type written struct {
	Count         uint64
	Sum, Min, Max int64
	First         int
	Buckets       []uint64
}

func (d Distribution) MarshalJSON() ([]byte, error) {
	return json.Marshal(written{d.count, d.sum, d.min, d.max, d.first, d.buckets[d.first:d.end]})
}

func (d *Distribution) UnmarshalJSON(b []byte) error {
	var w written
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	if w.First < 0 || w.First > bucketOf(math.MaxInt64) {
		return fmt.Errorf("a distribution has no bucket %d", w.First)
	}
	*d = Distribution{count: w.Count, sum: w.Sum, min: w.Min, max: w.Max}
	if len(w.Buckets) > 0 {
		d.include(w.First, w.First+len(w.Buckets))
		copy(d.buckets[w.First:], w.Buckets)
	}
	return nil
}

// Reset forgets what was recorded, and keeps the memory.
func (d *Distribution) Reset() {
	if d.count == 0 {
		return
	}
	clear(d.buckets[d.first:d.end])
	*d = Distribution{buckets: d.buckets}
}

// Clone shares nothing with d.
func (d *Distribution) Clone() Distribution {
	c := *d
	c.buckets = slices.Clone(d.buckets)
	return c
}

// Count is how many values were recorded, or how often a counter was added to.
func (d *Distribution) Count() uint64 { return d.count }

// Sum is that of all values; of a counter it is all that there is to know.
func (d *Distribution) Sum() int64 { return d.sum }

// Min and Max are exact; 0 if nothing was recorded.
func (d *Distribution) Min() int64 { return d.min }

// Max is the greatest value.
func (d *Distribution) Max() int64 { return d.max }

// Mean is 0 if nothing was recorded.
func (d *Distribution) Mean() float64 {
	if d.count == 0 {
		return 0
	}
	return float64(d.sum) / float64(d.count)
}

// Quantile is the value that a share q of all values does not exceed, off by at
// most 1/64; 0.99 is the 99th percentile. It is 0 if nothing was recorded, and
// for counters.
func (d *Distribution) Quantile(q float64) int64 {
	rank := uint64(math.Ceil(q * float64(d.count)))
	switch {
	case rank <= 1:
		return d.min
	case rank >= d.count:
		return d.max
	}
	var seen uint64
	for i := d.first; i < d.end; i++ {
		seen += d.buckets[i]
		if seen >= rank {
			return min(max(middle(i), d.min), d.max)
		}
	}
	return d.max
}
