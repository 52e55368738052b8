package sim

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
	// Bytes of keys and values, without any encoding.
	Bytes
)

func (u Unit) String() string { return [...]string{"", "ns", "bytes"}[u] }

type metricRecord struct {
	name, help string
	unit       Unit
	counter    bool
}

var metrics []metricRecord

// NewMetric registers a metric of which the distribution is kept; call it in
// package variable declarations only, so that the numbers are the same in every
// process. The name is Prometheus's, labels included, where there is a metric
// of that name upstream.
func NewMetric(name string, u Unit, help string) Metric {
	return newMetric(metricRecord{name: name, help: help, unit: u})
}

// NewCounter registers a metric of which only the sum is kept.
func NewCounter(name string, u Unit, help string) Metric {
	return newMetric(metricRecord{name: name, help: help, unit: u, counter: true})
}

func newMetric(r metricRecord) Metric {
	for i := range metrics {
		if metrics[i].name == r.name {
			panic("sim: metric registered twice: " + r.name)
		}
	}
	metrics = append(metrics, r)
	return Metric(len(metrics) - 1)
}

// Metrics are all that this binary knows, in the order of registration.
func Metrics() []Metric {
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

// Record adds a value to a metric's distribution, in timed runs. Negative values
// count as 0.
func (e *Env) Record(m Metric, value int64) { e.w.Record(m, value) }

// Record does the same for a judge, which looks at the world between steps.
func (w *World) Record(m Metric, value int64) {
	if w.mode == Timed {
		w.metrics[m].record(value)
	}
}

// Add adds to a counter, in timed runs.
func (e *Env) Add(m Metric, n int64) {
	if e.w.mode == Timed {
		e.w.metrics[m].add(n)
	}
}

// Metric is what was recorded of a metric so far. It is valid until the world is
// reset.
func (w *World) Metric(m Metric) *Distribution { return &w.metrics[m] }
