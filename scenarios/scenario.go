package scenarios

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/workload"
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

// Subjects is what campaign.Run and the tests of explore/property want: a
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
