package compare

import (
	"math"

	"github.com/watchbed/watchbed/diagnosis/matrix"
	"github.com/watchbed/watchbed/diagnosis/metrics"
)

// CostDifference is a measure of cost that differs.
type CostDifference struct {
	Scenario string `json:"scenario"`
	Measure  string `json:"measure"`
	// Unit is "s", "bytes", "share" or empty for what is counted.
	Unit string `json:"unit,omitempty"`
	// Values are those of the sides, nil where nothing was measured.
	Values [2]*float64 `json:"values"`
}

// measure is one figure of what LISTs cost.
type measure struct {
	name, unit string
	of         func(*matrix.Cost) *float64
}

var measures = []measure{
	{"wait p99", "s", func(c *matrix.Cost) *float64 { return p99(c.Wait) }},
	{"duration p99", "s", func(c *matrix.Cost) *float64 { return p99(c.Duration) }},
	{"cached", "share", func(c *matrix.Cost) *float64 { return perList(c, float64(c.FromCache)/float64(c.Lists)) }},
	{"requests", "", func(c *matrix.Cost) *float64 { return perList(c, c.RequestsPerList) }},
	{"bytes", "bytes", func(c *matrix.Cost) *float64 { return perList(c, c.BytesPerList) }},
	{"progress requests", "", func(c *matrix.Cost) *float64 { return perList(c, c.ProgressRequestsPerList) }},
	{"notifications", "", func(c *matrix.Cost) *float64 { return perList(c, c.NotificationsPerList) }},
}

func p99(d *metrics.Distribution) *float64 {
	if d == nil {
		return nil
	}
	return &d.P99
}

// perList is nil where there was no LIST.
func perList(c *matrix.Cost, v float64) *float64 {
	if c.Lists == 0 {
		return nil
	}
	return &v
}

// Alike within this share of the larger value: forty runs do not measure more exactly.
const costShareAlike = 0.1

// costs compares what LISTs cost in a scenario.
func (c *Comparison) costs(a, b *Run) {
	if a.Cost == nil && b.Cost == nil {
		return
	}
	if a.Cost == nil || b.Cost == nil {
		c.Unknown = withUnknown(c.Unknown, a.Scenario, "", "costs were measured with one side only")
		return
	}
	for _, m := range measures {
		x, y := m.of(a.Cost), m.of(b.Cost)
		switch {
		case x == nil && y == nil:
		case x != nil && y != nil && math.Abs(*x-*y) <= costShareAlike*math.Max(*x, *y):
			c.Alike.Costs++
		default:
			c.Costs = append(c.Costs, CostDifference{a.Scenario, m.name, m.unit, [2]*float64{x, y}})
		}
	}
}
