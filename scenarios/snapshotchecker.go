package scenarios

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"
)

var lostEvent = &Scenario{
	Name:    "lost-event",
	Summary: "one event never reaches the cache, and the consistency checker finds out: what is right again after that (KEP-4988)",
	Doc: `In the first minute one event is lost on its way to the cache. Readers begin after the first consistency check, which is due
between 5 and 7.5 minutes. A failed check drops the snapshots: exact reads, and pages after the first, are etcd's from
then on, and right. LISTs of the newest state go on from the cache, and stay wrong, until the object is written again or
the cache starts over: that is the documented behaviour. The first page of a list is such a read, so that pages together
are no snapshot. --bug consistency-checker=off leaves exact reads wrong, too; =panic, the alpha, has the process
start again, and everything right. etcd tells of its progress every minute: a check at the resourceVersion of the cache
cannot see that the last event of all is missing, as long as nothing has moved that on.`,
	Params: lostEventParams,
	Claims: []string{Detects, "exact", "linearizable", "pages"},
	Expected: func(p *Params) []string {
		switch {
		case p.Cache == "direct" || checkerPanics(p):
			return nil
		case !keepsSnapshots(p) || checkerFallsBack(p):
			return []string{"linearizable", "pages"}
		}
		return []string{"exact", "linearizable", "pages"}
	},
}

var lostEventParams = Params{
	Etcd: "3.6.16", Cache: "kep-4988", Assume: createdInOrder, Mode: sim.Timed,
	Writers: 1, Writes: 3, Readers: 2, Reads: 8, Read: "past", Caches: 1, AwaitReady: true, Keys: 3, Items: 3, History: 1,
	LostEvents: 1, Network: 5 * time.Millisecond, Scheduling: time.Millisecond, Think: 20 * time.Second,
	Notify: time.Minute, ReadFrom: 8 * time.Minute, FaultsFor: 90 * time.Second, Horizon: 14 * time.Minute, Steps: 200_000,
}

func keepsSnapshots(p *Params) bool { return hasOption(p, "snapshots", "on") }

func checkerFallsBack(p *Params) bool { return hasOption(p, "consistency-checker", "fallback") }

func checkerPanics(p *Params) bool { return hasOption(p, "consistency-checker", "panic") }

// hasOption reports whether a dimension has a value with these parameters.
func hasOption(p *Params, dim, value string) bool {
	b, err := p.Behaviours()
	return err == nil && slices.ContainsFunc(b.Dimensions(), func(d Dimension) bool { return d.Name == dim && d.Value == value })
}
