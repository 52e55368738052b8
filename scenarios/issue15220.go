package scenarios

import (
	"strings"

	"github.com/watchbed/watchbed/sim/etcd"
)

var issue15220 = &Scenario{
	Name:    "issue-15220",
	Summary: "progress overtakes the event of the same revision: a consistent LIST lacks a completed write",
	Doc: `Writers write, readers list consistently from a cache whose watch is synced. Up to etcd 3.4.24 and 3.5.7 the
answer to a progress request goes through the control queue and overtakes the events in the watch channel
(etcd-io/etcd#15220): the cache believes it is as new as etcd said it was, and answers without the write.`,
	Params: Params{
		Etcd: "3.5.7", Cache: "kep-2340",
		Writers: 2, Writes: 3, Readers: 2, Reads: 3, Read: "consistent", Caches: 1, AwaitReady: true, Keys: 2,
		Steps: 20_000,
	},
	Claims:   []string{"linearizable", "linearizable-data"},
	Expected: overtaken("linearizable", "linearizable-data"),
}

var issue15220CatchingUp = &Scenario{
	Name:    "issue-15220-catching-up",
	Summary: "the same with a watcher that has history to catch up on: 3.5.7 answers at once, and wrongly",
	Doc: `The watch stream breaks, so that the cache's watcher resumes below the present revision and is unsynced. Up to
3.4.24 and 3.5.7 a progress request is answered with the present revision all the same (etcd-io/etcd#15220).`,
	Params: Params{
		Etcd: "3.5.7", Cache: "kep-2340",
		Writers: 1, Writes: 4, Readers: 2, Reads: 2, Read: "consistent", Caches: 1, AwaitReady: true, Keys: 2,
		Items: 1, Breaks: 1, Steps: 20_000,
	},
	Claims:   []string{"linearizable", "linearizable-data", Mirrors},
	Expected: overtaken("linearizable", "linearizable-data", Mirrors),
}

// overtaken expects the violations where progress goes through the control
// queue. Mirrors is about the cache itself, whatever it answers; the others need
// a design that trusts progress.
func overtaken(claims ...string) func(p *Params) []string {
	return func(p *Params) []string {
		stale := p.Cache == "stale"
		early := progressOf(p) == etcd.ControlQueue
		var out []string
		for _, c := range claims {
			switch {
			case c == Mirrors:
				if early && p.Cache != "direct" && p.Cache != "stale" {
					out = append(out, c)
				}
			case stale, early && p.Cache != "direct":
				out = append(out, c)
			}
		}
		return out
	}
}

// progressOf is how the server answers progress requests, by what its release
// notes say.
func progressOf(p *Params) etcd.Progress {
	for _, b := range p.Bugs {
		switch strings.TrimPrefix(b, "progress=") {
		case "issue-15220", "control-queue":
			return etcd.ControlQueue
		case "issue-17507", "deferred":
			return etcd.Deferred
		case "issue-20221", "dropped":
			return etcd.Dropped
		case "dropped-below-start":
			return etcd.DroppedBelowStart
		}
	}
	switch {
	case olderThanFix(p.Etcd, "3.4.25", "3.5.8"):
		return etcd.ControlQueue
	case olderThanFix(p.Etcd, "3.4.31", "3.5.13"):
		return etcd.Deferred
	case olderThanFix(p.Etcd, "3.4.38", "3.5.22", "3.6.2"):
		return etcd.Dropped
	}
	return etcd.DroppedBelowStart
}
