package explain

import (
	"strings"

	"github.com/watchbed/watchbed/metric"
)

// explainMetric takes a metric with its labels, or a name with all labels that it has.
func explainMetric(_, name string) []Explanation {
	var all []Explanation
	for _, m := range metric.All() {
		base, _, _ := strings.Cut(m.String(), "{")
		if m.String() == name || base == name {
			all = append(all, Explanation{Kind: "metric", Name: m.String(), Summary: m.Help()})
		}
	}
	return all
}
