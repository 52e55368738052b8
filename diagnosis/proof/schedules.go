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

// Schedules is what a search of schedules has covered.
type Schedules struct {
	// Complete are schedules that came to their end, Classes are those of them that are not the
	// same as another but for steps that do not conflict, Redundant are all others. Abandoned
	// were not followed to their end, because what came next was looked at elsewhere.
	Complete  int `json:"complete"`
	Classes   int `json:"classes"`
	Redundant int `json:"redundant"`
	Abandoned int `json:"abandoned"`
}

// SearchSchedules is Search by the other engine: one schedule of each class.
func SearchSchedules(ctx context.Context, sc *testbed.Scenario, p testbed.Params, cfg schedules.Config, tool string) (*Proof, []*recording.Recording, error) {
	if p.Clock.Mode == sim.Timed {
		return nil, nil, fmt.Errorf("--engine %s searches runs without a clock, in which any armed timer may fire at any point, and this one is timed; leave --engine out, or add --set mode=untimed", ClassSchedules)
	}
	system, left, err := sc.ProvableByHistory(p)
	if err != nil {
		return nil, nil, err
	}
	claims := testbed.Names(system.Claims())
	if len(claims) == 0 {
		return nil, nil, fmt.Errorf("%s claims nothing that can be judged at the end of a schedule; leave out --engine %s", sc.Name, ClassSchedules)
	}
	if err := checkPlanted(sc, &p, left, ClassSchedules); err != nil {
		return nil, nil, err
	}
	system.JudgeWith(-1)
	r, err := schedules.Search(ctx, system, claims, cfg)
	if err != nil {
		return nil, nil, err
	}
	proof := about(sc, &p, ClassSchedules, prove.Bounds{Firings: cfg.Firings})
	proof.Bounds.Fixed = r.Fixed
	proof.conclude(r.Verdict, r.Why, claims, testbed.Names(left))
	proof.Checked, proof.Situations = r.Checked, cameAbout(r.Situations)
	proof.Transitions, proof.Depth, proof.Seconds = r.Steps, r.Depth, r.Seconds
	proof.Schedules = &Schedules{Complete: r.Schedules, Classes: r.Classes, Redundant: r.Redundant(), Abandoned: r.Abandoned}
	for _, s := range r.Stopped {
		proof.Cut = append(proof.Cut, Cut(s))
	}
	var runs []*recording.Recording
	for _, f := range r.Failures {
		run, toRest, err := recordWhole(system, sc, p, f, tool)
		if err != nil {
			return nil, nil, err
		}
		runs = append(runs, run.Recording)
		proof.Failures = append(proof.Failures, Failure{Property: f.Property, Label: f.Label, Steps: f.Path.Taken(), First: run.first, ToRest: toRest})
	}
	return proof, runs, nil
}

// recordWhole records the run of a schedule. The search follows one for as long as anything can happen: what a run shows only when
// the programs of its clients are over is in one that goes on so long, which toRest says.
func recordWhole(system *testbed.System, sc *testbed.Scenario, p testbed.Params, f schedules.Failed, tool string) (run *recordedRun, toRest bool, err error) {
	run, err = runOf(sc, p, f.Failure, f.Path, tool)
	if run != nil || err != nil {
		return run, false, err
	}
	if !system.ComesToRest() {
		return nil, false, fmt.Errorf("schedules violate %s only when the programs of the clients are over, and a run in which etcd sends progress by itself ends with them: set notify=0, and it goes on", f.Failure)
	}
	p.Clock.ToRest = true
	run, err = record(sc, p, f.Failure, f.Path, tool)
	return run, true, err
}
