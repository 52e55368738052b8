package matrix

import (
	"math"
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
