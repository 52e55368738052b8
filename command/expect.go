package command

import (
	"slices"

	"github.com/watchbed/watchbed/diagnosis/summary"
)

// besideKnown compares what a campaign found of a property with what is known, and
// cites the reason. It is empty if there is nothing to say.
func besideKnown(known []summary.Known, property string, violated bool, missing []string) string {
	reasons := summary.Reasons(known, property)
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
