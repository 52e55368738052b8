package informers

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/load"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// feedbackParams: twelve informers of three API servers begin at the same time, four at
// each. A LIST of the twenty objects is under way for two seconds and takes three times
// its objects, so that the clients of one server take 240. Two servers have memory for
// 350, which is enough for another client and for what watches are sent, and the first one
// for 200.
func feedbackParams(list informer.ListMode) testbed.Params {
	return testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings:  option.Settings("memory-limit=350"),
		Topology:  topology.Options{Servers: 3, ServerSettings: []string{"cache-1:memory-limit=200"}},
		Workload:  workload.Options{Writers: 1, Writes: 4, Read: "consistent", AwaitReady: true, Keys: 2, Items: 20, Think: time.Second},
		Informers: testbed.InformerOptions{Count: 12, Options: informer.Options{List: list}},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Transfer: 100 * time.Millisecond,
			Horizon: 10 * time.Minute, Steps: 1_000_000,
		},
	}
}

var MemoryFeedback = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "memory-feedback",
	Summary: "informers list at API servers with little memory: one is killed, its clients list at the next one, which is killed in turn",
	Doc: `What KEP-3157 and KEP-4988 begin with. The first server has memory for three LISTs and is asked for four. It is killed, its
clients ask the next one a second later, and that one has memory for its own clients and no more.`,
	Params: feedbackParams(informer.ByListWatch),
	Claims: []*testbed.Property{load.StaysUp, informers.CatchUp},
	Known: slices.Concat(
		known.BackInTime(informers.CatchUp),
		known.When(known.InformersList).Violates(load.StaysUp).
			Because("a LIST takes three to five times its objects for as long as it is under way (KEP-3157, Motivation)"),
		known.When(known.BypassesCache).RarelyViolates(informers.CatchUp).
			Because("API servers are killed again and again, and the pauses of informers have become long"),
	),
})

var MemoryFallback = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "memory-fallback",
	Summary: "a clogged watch, and all informers start over: if their LISTs fall back to etcd, the API server is out of memory",
	Doc: `The watch of one of three API servers is clogged for up to ten seconds, and all informers restart. They ask for the newest
state, which its cache does not have in time. Each server has memory for the LISTs of its clients as long as the cache answers
them, with three times the objects (240 of 350), and not if etcd does, with five times (400). LISTs that are rejected
(on-timeout=reject, throttle) come again, and the cache answers them after the fault. The metrics oom_warning_seconds say for how
long LISTs in flight, and those that wait for the cache, had been too many when a server was killed.`,
	Params: func() testbed.Params {
		p := feedbackParams(informer.ByListWatch)
		p.Topology.ServerSettings = nil
		p.Informers.RV = informer.RVNewest
		p.Workload.Noise, p.Workload.NoiseWrites, p.Workload.NoiseFor = 1, 60, 12*time.Second
		p.Faults = faults.Options{For: 10 * time.Second, Clog: true, InformerStorms: 1}
		return p
	}(),
	Claims: []*testbed.Property{load.StaysUp, informers.CatchUp},
	Known: slices.Concat(
		known.BackInTime(informers.CatchUp),
		known.Where(known.UnknownRequests(known.WaitsUntilFresh, informers.CatchUp), testbed.Unless(known.FallsBack)),
		known.When(known.FallsBack).Violates(load.StaysUp).
			Because("etcd answers all LISTs that were waiting for the cache, each of which takes five times its objects"),
		etcdAnswers(known.When(known.BypassesCache), "etcd answers all LISTs, each of which takes five times its objects"),
		etcdAnswers(known.When(known.AwaitsNotifications), "until etcd sends its first progress notification it answers all LISTs, each of which takes five times its objects"),
	),
})

// etcdAnswers: API servers are killed again and again, and at the end of a run an informer
// may be one whose pauses have become long.
func etcdAnswers(when known.Premise, because string) []testbed.Row {
	return slices.Concat(when.Violates(load.StaysUp).Because(because), when.RarelyViolates(informers.CatchUp).Because(because))
}
