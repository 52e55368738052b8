package recorded_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/conformance/recorded"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// What CreatedOvertakes saw of a version, its simulated server can do, and what
// it never saw with ten requests either, the simulated one cannot. How often is a
// matter of Go's scheduler, which the simulation does not claim to know.
func TestSimulatedCreatedOvertakesWhereRealOnesDo(t *testing.T) {
	const schedules = 2000
	var results []recorded.CreatedOvertakesResult
	if err := realetcd.ReadJSON(realetcd.CreatedOvertakes(), &results); err != nil {
		t.Fatal(err)
	}
	never := map[string]bool{}
	for _, r := range results {
		if r.Requests == 10 && r.Violations == 0 {
			never[r.Etcd] = true
		}
	}
	for _, r := range results {
		for _, mode := range []sim.Mode{sim.Untimed, sim.Timed} {
			s := newSecondWatch(t, mode, r.Etcd, r.Requests)
			runner := explore.NewRunner(s, 0)
			chooser := strategy.Random().For(runner)
			violations := 0
			for seed := range uint64(schedules) {
				chooser.Begin(seed)
				if runner.Run(chooser).Findings[0].Verdict == model.Violated {
					violations++
				}
			}
			t.Logf("etcd %s, %2d requests: measured %d of %d, simulated %v %d of %d", r.Etcd, r.Requests, r.Violations, r.Runs, mode, violations, schedules)
			if r.Violations > 0 && violations == 0 || never[r.Etcd] && violations > 0 {
				t.Errorf("etcd %s with %d requests: measured in %d of %d runs, simulated in %d", r.Etcd, r.Requests, r.Violations, r.Runs, violations)
			}
		}
	}
}

// secondWatch is the script of CreatedOvertakes in the simulation.
type secondWatch struct {
	options sim.Options
	cfg     etcd.Config
	server  *etcd.Server
	watch   workload.EtcdWatch
	plan    workload.EtcdWatchPlan
}

func newSecondWatch(t *testing.T, mode sim.Mode, version string, requests int) *secondWatch {
	t.Helper()
	const writes = 5
	cfg, err := etcd.DefaultConfig(version)
	if err != nil {
		t.Fatal(err)
	}
	cfg.InitialRevision = 1
	for i := range writes {
		cfg.InitialRevision++
		cfg.Initial = append(cfg.Initial, &wire.KeyValue{
			Key: "/late/a", Value: strconv.Itoa(i), CreateRevision: 2, ModRevision: cfg.InitialRevision, Version: int64(i + 1),
		})
	}
	delays := sim.Bounds{
		Network:    sim.Delay{Max: 100 * time.Microsecond, Steps: 4},
		Scheduling: sim.Delay{Max: 50 * time.Microsecond, Steps: 4},
	}
	return &secondWatch{
		options: sim.Options{Mode: mode, Safety: delays, Liveness: delays},
		cfg:     cfg, server: etcd.New(cfg),
		plan: workload.EtcdWatchPlan{
			To:       1,
			Creates:  []*wire.WatchCreateRequest{{Key: "/idle/a"}},
			Requests: requests,
			Later:    []sim.Payload{&wire.WatchCreateRequest{Key: "/late/a", StartRevision: 2}},
		},
	}
}

func (s *secondWatch) Options() sim.Options { return s.options }

func (s *secondWatch) Build(w *sim.World) {
	s.server.Reset(s.cfg)
	w.Add("etcd", s.server)
	s.watch.Reset("watch", s.plan)
	w.Add("watch", &s.watch)
}

func (s *secondWatch) After(*sim.World, sim.Action) {}

func (s *secondWatch) Over(*sim.World) bool { return s.delivered(len(s.watch.Responses())) }

// delivered reports whether the history of the second watch is among the first n
// responses.
func (s *secondWatch) delivered(n int) bool {
	for _, r := range s.watch.Responses()[:n] {
		if len(r.Events) > 0 {
			return true
		}
	}
	return false
}

func (s *secondWatch) Judge(*sim.World) []explore.Finding {
	f := explore.Finding{Property: "bookmarkable", Verdict: model.Holds, Exercised: 1}
	created := 0
	for i, r := range s.watch.Responses() {
		switch {
		case r.Created:
			created++
		case created == 2 && r.WatchID == wire.InvalidWatchID && r.IsProgressNotify() && !s.delivered(i):
			f.Verdict, f.Label = model.Violated, "early"
		}
	}
	return []explore.Finding{f}
}
