package proof

import (
	"context"
	"fmt"

	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/explore/prove/schedules"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// The engines. The one goes through states, the other through schedules, one of each class.
const (
	States         = "states"
	ClassSchedules = "schedules"
)

// SearchSchedules is Search by the other engine: one schedule of each class.
func SearchSchedules(ctx context.Context, sc *testbed.Scenario, p testbed.Params, cfg schedules.Config, tool string) (*Proof, []*recording.Recording, error) {
	if p.Clock.Mode == sim.Timed {
		return nil, nil, fmt.Errorf("--engine %s searches runs without a clock, in which any armed timer may fire at any point, and this one is timed; leave --engine out, or add --set mode=untimed", ClassSchedules)
	}
	system, left, err := sc.ProvableByHistory(p)
	if err != nil {
		return nil, nil, err
	}
	if len(system.Claims()) == 0 {
		return nil, nil, fmt.Errorf("%s claims nothing that can be judged at the end of a schedule; leave out --engine %s", sc.Name, ClassSchedules)
	}
	if err := checkPlanted(sc, &p, left, ClassSchedules); err != nil {
		return nil, nil, err
	}
	system.JudgeWith(-1)
	r, err := schedules.Search(ctx, system, testbed.Names(system.Claims()), cfg)
	if err != nil {
		return nil, nil, err
	}
	proof := of(system.System, left, ClassSchedules, prove.Bounds{TimerBound: cfg.TimerBound}, &r.Result)
	runs, err := proof.record(r.Failures, func(f prove.Failed) (*recordedRun, error) { return recordWhole(system.System, sc, p, f, tool) })
	return proof, runs, err
}

// recordWhole records the run of a schedule. The search follows one for as long as anything can happen: what a run
// shows only when the programs of its clients are over is in one that goes on so long.
func recordWhole(system *testbed.System, sc *testbed.Scenario, p testbed.Params, f prove.Failed, tool string) (*recordedRun, error) {
	run, err := runOf(sc, p, f, tool)
	switch {
	case run != nil || err != nil:
		return run, err
	case !system.ComesToRest():
		return nil, fmt.Errorf("schedules violate %s only when the programs of the clients are over, and a run in which etcd sends progress by itself ends with them: set notify=0, and it goes on", f.Failure)
	}
	p.Clock.ToRest = true
	if run, err = record(sc, p, f, tool); err == nil {
		run.toRest = true
	}
	return run, err
}
