// Package metric (unstable) has what timed runs measure, and the distribution of what was recorded.
// Package sim records it and campaigns merge it. The package must never import any other package of
// this module.
package metric

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
