package summary

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// Known is a property that is known to be violated with some parameters.
type Known struct {
	Property string `json:"property"`
	// Rarely: a campaign may miss the violation.
	Rarely  bool     `json:"rarely,omitempty"`
	Because []string `json:"because"`
}

// KnownOf is what is known of a scenario with these parameters.
func KnownOf(sc *testbed.Scenario, p *testbed.Params) []Known {
	var all []Known
	for _, v := range known.Violations(sc, p) {
		all = append(all, Known{v.Property.Name, v.Rarely, v.Because})
	}
	return all
}

// Reasons are why a property is known to be violated, empty if it is not.
func Reasons(all []Known, property string) string {
	for _, k := range all {
		if k.Property == property {
			return strings.Join(k.Because, "; ")
		}
	}
	return ""
}

// BesideKnown compares what a campaign found of a property with what is known, and
// cites the reason. It is empty if there is nothing to say.
func BesideKnown(known []Known, property string, violated bool, missing []string) string {
	reasons := Reasons(known, property)
	switch {
	case violated && reasons == "":
		return "expected to hold, and was violated"
	case violated:
		return "violated as expected: " + reasons
	case slices.Contains(missing, property):
		return "expected to be violated, and was not in these schedules: " + reasons
	}
	return ""
}
