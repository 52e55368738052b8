package scenarios

import (
	"time"

	"github.com/watchbed/watchbed/sim"
)

var issue17507 = &Scenario{
	Name:    "issue-17507",
	Summary: "progress never comes on a quiet range: consistent LISTs hang until they time out",
	Doc: `Noise on other prefixes moves the revision between the cache's list and its watch, so that the watcher is unsynced
when the first progress request comes. From 3.4.25 and 3.5.8 to 3.4.30 and 3.5.12 that request is deferred until the
stream has sent an event, and on a quiet range there is none (etcd-io/etcd#17507). Later requests are ignored while it is.`,
	Params: Params{
		Etcd: "3.5.12", Cache: "kep-2340", Assume: createdInOrder, Mode: sim.Timed,
		Noise: 1, NoiseWrites: 20, NoiseFor: 200 * time.Millisecond,
		Readers: 2, Reads: 3, Read: "consistent", Caches: 1, AwaitReady: true, Items: 2, Keys: 2,
		Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Think: 100 * time.Millisecond,
		Horizon: 20 * time.Second, Steps: 200_000,
	},
	Claims: []string{Answers, "linearizable"},
	Expected: func(p *Params) []string {
		switch {
		case p.Cache == "stale":
			return []string{"linearizable"}
		case p.Cache == "direct":
			return nil
		case p.Cache == "single-request":
			return []string{Answers}
		case hasBug(p, "issue-17507") && p.asksForProgress():
			return []string{Answers}
		}
		return nil
	},
	Possible: func(p *Params) []string {
		if p.echoMayNotCome() {
			return []string{Answers}
		}
		return nil
	},
}
