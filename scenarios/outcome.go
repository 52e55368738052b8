package scenarios

import "slices"

// ExpectedViolations are those that Expected lists, and the property that finds a
// bug which was planted, if this is the scenario where it shows.
func (sc *Scenario) ExpectedViolations(p *Params) []string {
	out := slices.Clone(sc.Expected(p))
	for _, s := range planted(p) {
		if s.Scenario == sc.Name && !slices.Contains(out, s.Property) {
			out = append(out, s.Property)
		}
	}
	return out
}

// Outcome compares the claims that a campaign found violated with what is known:
// missing are those that should have been and were not, unexpected those that
// should not.
//
// An API server that does not trust the version of its etcd sends consistent
// LISTs there. What else becomes of its clients is not written down: it refuses
// watches with initial events, and asks for no progress when a read waits.
func (sc *Scenario) Outcome(p *Params, violated []string) (missing, unexpected []string) {
	expected := sc.ExpectedViolations(p)
	var possible []string
	if sc.Possible != nil {
		possible = sc.Possible(p)
	}
	if p.versionCheck() == "shipped" {
		// Until etcd has said its version nobody asks it for progress, and watches
		// with initial events are refused.
		possible = append(slices.Clone(possible), Answers, WatchListEnds)
	}
	if p.distrusts() && !p.AsConsistent && p.Cache != "stale" {
		expected = nil
		possible = slices.DeleteFunc(slices.Concat(possible, sc.Claims), func(claim string) bool {
			return claim == "linearizable" || claim == "linearizable-data"
		})
	}
	if len(planted(p)) > 0 {
		// What else a planted bug breaks is not written down.
		possible = sc.Claims
	}
	for _, claim := range sc.Claims {
		found, wanted := slices.Contains(violated, claim), slices.Contains(expected, claim)
		switch {
		case wanted && !found:
			missing = append(missing, claim)
		case found && !wanted && !slices.Contains(possible, claim):
			unexpected = append(unexpected, claim)
		}
	}
	return missing, unexpected
}
