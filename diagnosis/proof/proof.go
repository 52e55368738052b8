// Package proof (unstable) says what a search of every schedule came to: what
// was covered within which bounds, what was cut, and a shortest run of each way
// to fail, with its story.
//
// The package must never print anything.
package proof

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/explore/prove/schedules"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// Proof is what a search came to: the object that "simrun prove --json" prints.
type Proof struct {
	Scenario string   `json:"scenario"`
	Etcd     string   `json:"etcd"`
	Client   string   `json:"client,omitempty"`
	Cache    string   `json:"cache"`
	Bugs     []string `json:"bugs,omitempty"`
	Bounds   Bounds   `json:"bounds"`
	// Masked is what masks a race that every release of etcd has, Settings what is set on
	// top of version and design.
	Masked   []string `json:"masked,omitempty"`
	Settings []string `json:"settings,omitempty"`
	// Engine is what searched: states, or schedules.
	Engine string `json:"engine"`
	// Result has a verdict of what was judged, until the proof is of all claims.
	*prove.Result
	// Partial: it is unknown because the search does not judge all claims, and those that it judges were proved.
	Partial bool `json:"partial,omitempty"`
	// Claims are what was judged, in order. NotJudged are claims of the scenario that a search cannot judge.
	Claims    []string `json:"claims"`
	NotJudged []string `json:"notJudged,omitempty"`
	// Collision bounds the probability that two states were taken for one.
	Collision float64 `json:"collision"`
	// GoOn is the command that goes on from what is kept.
	GoOn     string    `json:"goOn,omitempty"`
	Failures []Failure `json:"failures"`
}

// Bounds are those of the search, and what the workload was.
type Bounds struct {
	// Workload are the options that say what clients do and what may break, NAME=VALUE.
	Workload []string `json:"workload"`
	// TimerBound is how often each timer may fire that is not part of a client's plan, if the runs are untimed.
	// RestFree: firings at rest are not counted, because a claim is about what never comes.
	TimerBound int  `json:"firings"`
	RestFree   bool `json:"restFree,omitempty"`
	// Clock is nil if the runs are untimed: any armed timer may fire at any point.
	Clock *Clock `json:"clock,omitempty"`
	// Answers is up to how many answers to one question were looked at, 0 for all. Spread are the
	// questions that have more.
	Answers int            `json:"answers,omitempty"`
	Spread  []prove.Spread `json:"spread,omitempty"`
	// Depth is the number of steps of the longest schedule, 0 for no bound.
	Depth int `json:"depth,omitempty"`
	// AtRest: the search begins when the caches have listed and watch. Fixed is how many
	// questions were asked before it began; each has its first answer.
	AtRest bool `json:"atRest"`
	Fixed  int  `json:"fixed,omitempty"`
}

// Clock is how time goes in the runs that were searched. What is due first happens first, and what is due
// at one moment in every order. The durations are texts such as 1ms.
type Clock struct {
	// Horizon is when a run ends at the latest.
	Horizon string `json:"horizon"`
	// Network and Scheduling are the longest delays of a message and of a loop that has work, once the
	// caches are ready and faults are over. Before that they are ten times as long.
	Network    string `json:"network"`
	Scheduling string `json:"scheduling"`
	// Within is, by claim, how long what it promises may take.
	Within map[string]Within `json:"within,omitempty"`
}

// Within is a bound with what it is made of.
type Within struct {
	Total      string `json:"total"`
	Derivation string `json:"derivation"`
}

// Failure is a way to fail.
type Failure struct {
	Property string   `json:"property"`
	Label    string   `json:"label"`
	Why      string   `json:"why,omitempty"`
	Story    []string `json:"story,omitempty"`
	// Steps is the number of steps of its schedule, a shortest one if states were searched.
	// Choices is the length of the run in the replay file. Loop is how many steps at its end
	// lead back to the same state: what never comes does not come however often they are
	// repeated.
	// First is the number of the first of them in the story: the steps before are how the world begins.
	Steps int `json:"steps"`
	First int `json:"first"`
	// ToRest: the run goes on when the programs of its clients are over, and shows the failure only then
	// (Clock.ToRest).
	ToRest  bool   `json:"toRest,omitempty"`
	Loop    int    `json:"loop,omitempty"`
	Choices int    `json:"choices"`
	Replay  string `json:"replay,omitempty"`
}

// Search searches every schedule of a scenario within the bounds. A recording belongs to
// each failure, in their order. Tool is what recordings say that wrote them.
func Search(ctx context.Context, sc *testbed.Scenario, p testbed.Params, cfg prove.Config, tool string) (*Proof, []*recording.Recording, error) {
	system, left, err := sc.Provable(p)
	if err != nil {
		return nil, nil, err
	}
	if len(system.Claims()) == 0 {
		return nil, nil, fmt.Errorf("%s claims nothing that a search over the states of %v runs can judge; run explores it", sc.Name, p.Clock.Mode)
	}
	if err := checkPlanted(sc, &p, left, States); err != nil {
		return nil, nil, err
	}
	if cfg.Keep != nil {
		keep := *cfg.Keep
		keep.Question = append(question(sc, &p, testbed.Names(system.Claims()), &cfg), keep.Question...)
		cfg.Keep = &keep
	}
	result, err := prove.Search(ctx, subjects(sc, p), testbed.Names(system.Claims()), cfg)
	if err != nil {
		return nil, nil, err
	}
	proof := of(system.System, left, States, cfg.Bounds, result)
	proof.Collision = result.Collision()
	proof.Bounds.RestFree, proof.Bounds.Clock = system.Liveness() != nil, clockOf(system.System)
	runs, err := proof.record(result.Failures, func(f prove.Failed) (*recordedRun, error) { return record(sc, p, f, tool) })
	return proof, runs, err
}

// clockOf is nil if the runs of a system are untimed.
func clockOf(s *testbed.System) *Clock {
	c := s.Params().Clock
	if c.Mode != sim.Timed {
		return nil
	}
	clock := &Clock{Horizon: c.Horizon.String(), Network: c.Network.String(), Scheduling: c.Scheduling.String(), Within: map[string]Within{}}
	for _, claim := range s.Claims() {
		if claim.Monitor.Bound != nil {
			b := claim.Monitor.Bound(s)
			clock.Within[claim.Name] = Within{b.Total.String(), b.Derivation}
		}
	}
	return clock
}

// question is what a search is about, as NAME=VALUE.
func question(sc *testbed.Scenario, p *testbed.Params, claims []string, cfg *prove.Config) []string {
	list := []string{"scenario=" + sc.Name}
	for _, x := range p.Expand() {
		list = append(list, x.String())
	}
	return append(list, "claims="+strings.Join(claims, ","), fmt.Sprintf("--timer-bound=%d", cfg.Bounds.TimerBound), fmt.Sprintf("--depth=%d", cfg.Bounds.Depth),
		fmt.Sprintf("--answers=%d", cfg.Bounds.Answers))
}

// subjects makes those of the workers.
func subjects(sc *testbed.Scenario, p testbed.Params) func() prove.Subject {
	return func() prove.Subject {
		s, _, err := sc.Provable(p)
		if err != nil {
			// It was possible a moment ago, and depends on nothing else.
			panic(err)
		}
		// What the witness finds is judged by porcupine in the run that is recorded of it.
		s.JudgeWith(-1)
		return s
	}
}

// of is what a search has shown: of all claims that it judges some, they are proved only if it judges all.
func of(system *testbed.System, left []*testbed.Property, engine string, b prove.Bounds, r *prove.Result) *Proof {
	sc, p := system.Scenario(), system.Params()
	proof := &Proof{
		Scenario: sc.Name, Etcd: p.EtcdName(), Client: p.Client, Cache: p.Cache, Bugs: p.Bugs, Engine: engine, Result: r,
		Bounds: Bounds{
			Workload: texts(p.Extent()), TimerBound: b.TimerBound, Depth: b.Depth, Answers: b.Answers, Spread: r.Spread,
			AtRest: p.Clock.AtRest && p.Clock.Mode == sim.Untimed, Fixed: r.Fixed,
		},
		Masked: story.Masked(&p), Settings: story.Settings(&p), Failures: []Failure{},
		Claims: testbed.Names(system.Claims()), NotJudged: testbed.Names(left),
	}
	if proof.Partial = r.Verdict == prove.Proved && len(left) > 0; proof.Partial {
		r.Verdict, r.Why = prove.Unknown, fmt.Sprintf("proved of %d of %d claims: within bounds, and a search of %s does not judge %s; run explores that, too",
			len(proof.Claims), len(proof.Claims)+len(left), engine, strings.Join(proof.NotJudged, ", "))
	}
	return proof
}

// record takes in failures with the runs that show them.
func (p *Proof) record(failures []prove.Failed, record func(prove.Failed) (*recordedRun, error)) (runs []*recording.Recording, err error) {
	for _, f := range failures {
		run, err := record(f)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run.Recording)
		p.Failures = append(p.Failures, Failure{
			Property: f.Property, Label: f.Label, Steps: f.Path.Len(), First: run.first, ToRest: run.toRest, Loop: f.Loop,
		})
	}
	return runs, nil
}

func texts(settings []option.Setting) []string {
	var list []string
	for _, s := range settings {
		list = append(list, s.String())
	}
	return list
}

// recordedRun is the run of a schedule that a search has found.
type recordedRun struct {
	*recording.Recording
	// first is the number of the step with which what was searched begins.
	first int
	// toRest: the run goes on when the programs of its clients are over.
	toRest bool
}

// record records the run that a search has found, with everything that the scenario claims.
func record(sc *testbed.Scenario, p testbed.Params, f prove.Failed, tool string) (*recordedRun, error) {
	run, err := runOf(sc, p, f, tool)
	if err == nil && run == nil {
		err = fmt.Errorf("internal error: the search found %s, and the run of its schedule does not show it; please report this with the command", f.Failure)
	}
	return run, err
}

// runOf is the run of a schedule, nil if it does not show the failure.
func runOf(sc *testbed.Scenario, p testbed.Params, f prove.Failed, tool string) (*recordedRun, error) {
	runner, err := sc.Runner(p)
	if err != nil {
		return nil, err
	}
	f.Path.Begin()
	rec, result := recording.Record(runner, f.Path)
	if result.Find(f.Failure) == nil {
		return nil, nil //nolint:nilnil // That the run does not show it is no error here.
	}
	rec.Scenario, rec.Parameters, rec.Strategy, rec.Tool = sc.Name, p.Expand(), "prove", tool
	return &recordedRun{rec, result.Steps - rec.Steps() + 1, false}, nil
}

// Link adds to a failure what is told of it: why it is a violation, the lines of its story,
// the length of the run in the replay file, and where that file is.
func (p *Proof) Link(i int, why string, lines []string, choices int, replay string) {
	f := &p.Failures[i]
	f.Why, f.Story, f.Choices, f.Replay = why, lines, choices, replay
}

// checkPlanted refuses a search for a planted bug that the search could not find: the scenario claims what the bug
// violates, and the search judges nothing of that. To call such a world proved would say of the bug that it does no
// harm.
func checkPlanted(sc *testbed.Scenario, p *testbed.Params, left []*testbed.Property, engine string) error {
	for _, b := range p.Planted() {
		if !slices.Contains(left, b.Property) {
			continue
		}
		judged := func(further *testbed.Property) bool {
			return slices.Contains(sc.Claims, further) && !slices.Contains(left, further)
		}
		if !slices.ContainsFunc(b.Further, judged) {
			return fmt.Errorf("the bug %s violates %s, which a search of %s cannot judge here: its verdict would say nothing of the bug; %s",
				b.Name, b.Property.Name, engine, otherwise(sc, p, b, engine))
		}
	}
	return nil
}

// otherwise is what can find the bug.
func otherwise(sc *testbed.Scenario, p *testbed.Params, b *testbed.KnownBug, engine string) string {
	if engine == ClassSchedules {
		if _, left, err := sc.Provable(*p); err == nil && !slices.Contains(left, b.Property) {
			return "leave out --engine " + ClassSchedules
		}
	}
	return "let run look for it"
}

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
