package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/testbed"
)

// ExpectedViolations are those that a scenario expects, and the property that
// finds a known bug which was planted, if this is the scenario where it shows.
func ExpectedViolations(sc *testbed.Scenario, p *testbed.Params) []*testbed.Property {
	out := slices.Clone(sc.ExpectedViolations(p))
	for _, b := range p.Planted() {
		if b.Scenario == sc && !slices.Contains(out, b.Property) {
			out = append(out, b.Property)
		}
	}
	return out
}

// Outcome compares the claims that a campaign found violated, by name, with what
// is known: missing are those that should have been and were not, unexpected
// those that should not.
//
// An API server that does not trust the version of its etcd sends consistent
// LISTs there. What else becomes of its clients is not written down: it refuses
// watches with initial events, and asks for no progress when a read waits.
func Outcome(sc *testbed.Scenario, p *testbed.Params, violated []string) (missing, unexpected []string) {
	expected, possible := ExpectedViolations(sc, p), slices.Clone(sc.PossibleViolations(p))
	if versionCheck(p) == "shipped" {
		// Until etcd has said its version it is not asked for progress, and watches
		// with initial events are refused.
		possible = append(possible, reads.AnswersInTime, watches.InitialEventsEnd)
	}
	if Distrusts(p) && !p.Workload.AsConsistent && p.Cache != "stale" {
		expected = nil
		possible = slices.DeleteFunc(slices.Concat(possible, sc.Claims), func(claim *testbed.Property) bool {
			return claim == reads.Linearizable || claim == reads.LinearizableData
		})
	}
	if len(p.Planted()) > 0 {
		// What else a planted bug breaks is not written down.
		possible = sc.Claims
	}
	for _, claim := range sc.Claims {
		found, wanted := slices.Contains(violated, claim.Name), slices.Contains(expected, claim)
		switch {
		case wanted && !found:
			missing = append(missing, claim.Name)
		case found && !wanted && !slices.Contains(possible, claim):
			unexpected = append(unexpected, claim.Name)
		}
	}
	return missing, unexpected
}
