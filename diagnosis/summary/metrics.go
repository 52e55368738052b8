package summary

import (
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/metric"
)

// Metric is one metric over all runs of a campaign in timed mode. Durations are
// virtual and in seconds, as the names of the metrics say.
type Metric struct {
	Name string `json:"name"`
	// Unit is "s", "bytes" or empty for what is counted.
	Unit string `json:"unit,omitempty"`
	// Count is how many values there were, Total their sum. A counter has no
	// distribution.
	Count uint64        `json:"count,omitempty"`
	Total float64       `json:"total"`
	Of    *Distribution `json:"distribution,omitempty"`
	Help  string        `json:"help"`
}

// Distribution is where the values of a metric lie. P50 and P99 are off by at
// most 1/64, the others are exact.
type Distribution struct {
	Min  float64 `json:"min"`
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

// MetricsOf lists what was recorded. A metric without a value is left out.
func MetricsOf(tallies []campaign.MetricTally) []Metric {
	var list []Metric
	for i := range tallies {
		t := &tallies[i]
		if t.Count() == 0 {
			continue
		}
		m := Metric{Name: t.Metric.String(), Unit: unitOf(t.Metric), Help: t.Metric.Help(), Total: inUnit(t.Metric, float64(t.Sum()))}
		if !t.Metric.IsCounter() {
			m.Count = t.Count()
			value := func(v int64) float64 { return inUnit(t.Metric, float64(v)) }
			m.Of = &Distribution{
				Min: value(t.Min()), Mean: inUnit(t.Metric, t.Mean()), Max: value(t.Max()),
				P50: value(t.Quantile(0.5)), P99: value(t.Quantile(0.99)),
			}
		}
		list = append(list, m)
	}
	return list
}

func unitOf(m metric.Metric) string {
	if m.Unit() == metric.Nanoseconds {
		return "s"
	}
	return m.Unit().String()
}

func inUnit(m metric.Metric, v float64) float64 {
	if m.Unit() == metric.Nanoseconds {
		return v / 1e9
	}
	return v
}
