package summary

import (
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

// BesideKnown says what was found of a property beside what is known of it: missing, if it had to be violated and was
// not. It is empty if there is nothing to say.
func BesideKnown(violated, missing bool, reasons string) string {
	switch {
	case violated && reasons == "":
		return "expected to hold, and was violated"
	case violated:
		return "violated as expected: " + reasons
	case missing:
		return "expected to be violated, and was not in these schedules: " + reasons
	}
	return ""
}
