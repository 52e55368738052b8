package scenarios

import (
	"time"

	"github.com/watchbed/watchbed/sim"
)

var recovery = &Scenario{
	Name:    "recovery",
	Summary: "streams break, etcd and the API server restart; once all is healed every consistent LIST must be served in time",
	Doc: `A safety phase with faults and wide delays, and then a liveness phase: nothing breaks any more, delays are within what is
declared, and every consistent LIST has to be served from the cache within the bound. A watch that resumed in the first
phase may be unsynced in the second, which is how a quiet range meets etcd-io/etcd#17507 long after the start.`,
	Params: Params{
		Etcd: "3.5.13", Cache: "kep-2340", Assume: createdInOrder, Mode: sim.Timed,
		Writers: 1, Writes: 3, Noise: 1, NoiseWrites: 20, NoiseFor: 3 * time.Second,
		Readers: 2, Reads: 8, Read: "consistent", Caches: 1, AwaitReady: true, Items: 2, Keys: 2,
		Breaks: 2, Restarts: 1, EtcdRestarts: 1,
		Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Think: time.Second,
		FaultsFor: 2 * time.Second, Horizon: 60 * time.Second, Steps: 200_000,
	},
	Claims: []string{Answers, "linearizable"},
	Expected: func(p *Params) []string {
		var out []string
		if p.Cache != "direct" && (p.Cache == "stale" || hasBug(p, "issue-15220") && p.asksForProgress()) {
			out = append(out, "linearizable")
		}
		if p.echoMayNotCome() {
			return []string{Answers}
		}
		if p.hearsOfProgress() && p.asksForProgress() && (hasBug(p, "issue-17507") || p.Cache == "single-request" && !hasBug(p, "issue-15220")) {
			out = append(out, Answers)
		}
		return out
	},
	Possible: func(p *Params) []string {
		if p.Cache == "single-request" {
			// Early progress needs no second request, but the first may get lost.
			return []string{Answers}
		}
		return nil
	},
}
