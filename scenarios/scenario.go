package scenarios

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/scenarios/workload"
)

// Scenario is one entry of the catalogue.
type Scenario struct {
	Name string
	// Summary is one line, Doc what a maintainer wants to know: which issue,
	// which mechanism, what to look at.
	Summary, Doc string
	// Params are the defaults.
	Params Params
	// Claims are the properties that the scenario puts to the test.
	Claims []string
	// Stream is what the i-th client does that speaks etcd's watch protocol
	// itself; Params.Streams says how many there are.
	Stream func(p *Params, i int) workload.EtcdWatchPlan
	// Expected lists the claims that are violated with these parameters, from
	// what is known of the versions and designs. It depends on nothing but the
	// version, the design and the bugs.
	Expected func(p *Params) []string
	// Possible lists claims that are violated too, but so rarely that a campaign
	// may miss them; nil is none.
	Possible func(p *Params) []string
}

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

// Catalogue lists all scenarios in a fixed order.
func Catalogue() []*Scenario {
	return []*Scenario{
		issue15220, issue15220CatchingUp, issue17507, recovery, consistentList, everyRead, outages, backpressure, watchGuarantees, rewatch, severalCaches, sharedStream, laggingMember, pagedLists,
		staleList, staleOwnWrite, timeTravel, resumedWatch, watchDuringRelist, quietGet, anyWithoutProgress, namespaces, recreatedCache, busyNeighbour,
		snapshotReads, compactedHistory, competingCompactors, lostEvent, lostEventRecovers, detectors,
		watchListStreams, watchListStart, watchListSlow, watchListFull, watchListEnds, watchListSixSeconds,
		costQuiet, costElsewhere, costPrefix, costBusy,
		guardOldEtcd, guardMixed, guardUnasked, guardDowngrade, guardQuietRange, cascade, cascadeLimited,
		informerColdStart, informerResume, informerExpired, informerMoves, informerTimeTravel, informerFallback, informerRelistLoop, informerDetector, informerOutages, informerMemory,
	}
}

// Find returns a scenario by its name. The error names the nearest ones.
func Find(name string) (*Scenario, error) {
	var names []string
	for _, s := range Catalogue() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return nil, fmt.Errorf("unknown scenario %q%s", name, suggest(name, names))
}

// Subjects is what explore.Explore and the tests of explore/property want: a
// subject with these parameters for each worker. It returns an error if they do
// not fit together.
func (sc *Scenario) Subjects(p Params) (func() explore.Subject, error) {
	if _, err := sc.New(p); err != nil {
		return nil, err
	}
	return func() explore.Subject {
		s, err := sc.New(p)
		if err != nil {
			// It was possible a moment ago, and depends on nothing else.
			panic(err)
		}
		return s
	}, nil
}

// New puts a scenario together with these parameters.
func (sc *Scenario) New(p Params) (*System, error) {
	stream := sc.Stream
	if stream == nil {
		stream = everyWatch
	}
	return newSystem(p, sc.Claims, stream)
}
