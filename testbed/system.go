// Package testbed puts a simulated etcd, API servers with their client libraries
// and caches, and clients together in one world, and judges what the clients were
// told.
//
//	Scenario   what runs, what may break, and what must hold: an entry of the catalogue
//	Params     the parameters of a run: every option, in groups
//	Nodes      the options of etcd, the client library and the cache that they come to
//	System     a scenario with its parameters, ready to run; it implements explore.Subject
//	Property   what must hold, and how a run is judged
//	Tally      how often a property was exercised, and its first violation
//	Row        what is known: under these conditions these properties are violated
//	Shared     what several properties look at together
//
// Scenarios and properties are registered, by the packages scenarios and
// properties in the same way as by a module of your own (RegisterScenario,
// RegisterProperty). To try other parameters, start from FindScenario, change its
// Params, and call New; campaign.Run does the rest.
//
// Parts stand in packages of their own: topology (nodes, their order and names),
// plans (what each client does), faults (what may break), truth (the committed
// writes, replayed), memory (bytes that API servers keep).
//
// The package must never import properties, scenarios, report or a command.
package testbed

import (
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
)

// System is a scenario with its parameters, ready to run: one etcd, API servers
// with their caches, and the clients. It implements explore.Subject.
type System struct {
	params   Params
	nodes    Nodes
	topology *topology.Topology

	etcd      cluster
	servers   []*apiServer
	caches    []*Cache
	clients   clients
	informers []*Informer
	// roles are those of the nodes, by their numbers.
	roles []Role

	faults faults.Plan
	truth  Truth
	// memory is nil if it is not counted.
	memory *memoryCounter
	// unanswered is nil if each cache has an answer for what its clients ask.
	unanswered *Unanswered
	// latency is nil if it is not measured.
	latency *latency

	claims        []*Property
	judges        []Judge
	observers     []Observer
	stepObservers []StepObserver
	// followers are those of stepObservers that look at the steps of a node, by its
	// number.
	followers [][]StepObserver
	preparers []Preparer
	// ofMemory says whose judges need what is Remembering.
	ofMemory []bool
	// scenario is the scenario of the system.
	scenario *Scenario
	// judgedOperations is the argument of JudgeWith.
	judgedOperations int

	// names are the clients of a history, history is the last one made.
	names    []string
	history  model.History
	findings []explore.Finding
	// waitedFrom is the step from which on the run only went on for clients that
	// follow a cache, 0 if it has not come to that.
	waitedFrom int
	// healed is when the safety phase of the run ended, 0 before that.
	healed sim.Time
	// goesOn: a run goes on behind its last client until nothing more can happen. settles: it takes the default choice
	// at last. The timers of a program, or of another cache than the simulated one, may go on for ever.
	goesOn, settles bool
}

// newSystem expands the parameters into configurations and programs, so that
// building a run is nothing but resetting nodes.
func newSystem(p Params, sc *Scenario) (*System, error) {
	n, err := p.Nodes()
	if err != nil {
		return nil, err
	}
	if err := p.fit(); err != nil {
		return nil, err
	}
	s := &System{params: p, nodes: n, scenario: sc, claims: sc.claimsWith(&p), topology: topology.New(p.Topology)}
	s.numberServers()
	if err := s.etcd.configure(s); err != nil {
		return nil, err
	}
	if err := s.configureServers(); err != nil {
		return nil, err
	}
	s.goesOn = p.Clock.ToRest && s.ComesToRest() && p.Clock.Mode == sim.Untimed
	s.settles = s.goesOn && !slices.ContainsFunc(s.caches, func(c *Cache) bool {
		d := c.Server().Design
		return d.OwnNode() && !d.Rests
	})
	s.configureClients()
	if s.unanswered != nil {
		return nil, s.unanswered
	}
	for _, check := range []func() error{s.checkClients, s.checkAmounts, s.checkReplacements, s.checkMessages, s.planFaults} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	if p.Informers.ObjectBytes > 0 {
		s.memory = &memoryCounter{servers: s.topology.APIServers, objectBytes: int64(p.Informers.ObjectBytes)}
		s.observers = append(s.observers, s.memory)
	}
	if p.Clock.Latency {
		Shared(s, newLatency)
	}
	s.makeJudges()
	s.latency, _ = find[*latency](s.observers)
	return s, nil
}

// checkMessages refuses faults that would do nothing: a node of another kind than
// cache.Cache does not know the messages of cache.RecreateStorage and cache.LoseSnapshot.
func (s *System) checkMessages() error {
	n := s.params.Faults.Recreations
	for _, c := range s.caches {
		_, known := c.Node.(*cache.Cache)
		if s.params.Faults.LostEvents > 0 && s.params.Faults.Lost == "snapshot" && !known {
			return fmt.Errorf("lost=snapshot: the cache design %s has a node of its own, whose snapshots cannot get lost; set lost=event", c.Server().Design.Name)
		}
		if n > 0 && !known {
			return fmt.Errorf("recreations=%d: the cache design %s has a node of its own, which cannot be recreated in its process; set recreations=0, or use restarts", n, c.Server().Design.Name)
		}
	}
	return nil
}

// checkAmounts refuses sizes of caches that do not go together.
func (s *System) checkAmounts() error {
	for _, c := range s.caches {
		for _, of := range c.servers {
			if err := of.Cache.Fit(); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkReplacements refuses API servers that cannot be replaced.
func (s *System) checkReplacements() error {
	n := s.params.Faults.Replacements
	for _, c := range s.caches {
		for _, of := range c.servers {
			if n > 0 && of.Design.OwnNode() {
				return fmt.Errorf("replacements=%d: the cache design %s has a node of its own, which cannot get other options; set replacements=0, or use restarts", n, of.Design.Name)
			}
		}
	}
	return nil
}

// planFaults spreads what may break over the processes.
func (s *System) planFaults() error {
	if n := s.params.Faults.Restores; n > 0 && (s.topology.Lagging || s.params.Workload.Drawn.Leases || s.scenario.Clients != nil) {
		return fmt.Errorf("restores=%d: a backup here is of one member without leases, which this scenario has or may have; leave the fault out, or set lagging=false drawn-leases=false", n)
	}
	var informers []faults.Informer
	for _, n := range s.informers {
		informers = append(informers, faults.Informer{ID: n.ID, Name: n.Name, Servers: n.config.Servers})
	}
	var downgraded etcd.Member
	if to := s.params.Faults.Downgrade; to != "" {
		var err error
		if downgraded, err = s.params.member(to, false); err != nil {
			return err
		}
	}
	var orders faults.Orders = faults.Simulated{}
	if s.etcd.members != nil {
		orders = s.etcd.members
	}
	s.faults = faults.New(&s.params.Faults, s.topology, informers, capable[faults.Server](s.servers), orders, downgraded)
	return nil
}

// Scenario is the scenario that the system was made from.
func (s *System) Scenario() *Scenario { return s.scenario }

// Params are the parameters that the system was made with.
func (s *System) Params() Params { return s.params }

// Nodes are the options of the nodes, as the parameters come to: of an API server if it
// has none of its own (Cache.Server).
func (s *System) Nodes() Nodes { return s.nodes }

// Topology says which nodes there are.
func (s *System) Topology() *topology.Topology { return s.topology }

// Etcd is the member that takes reads and writes, or all of them together if each does. A property must not take ground
// truth from its store: see Truth.
func (s *System) Etcd() EtcdState { return s.etcd.whole(s.topology) }

// Serving is the member that serves watches, or all of them together if each does.
func (s *System) Serving() EtcdState {
	if s.topology.Watches != s.topology.Etcd {
		return s.etcd.state(1)
	}
	return s.Etcd()
}

// ServingStream is the member at which the i-th client of etcd's watch protocol watches.
func (s *System) ServingStream(i int) EtcdState {
	t := s.topology
	return s.etcd.state(slices.Index(t.Members, t.WatchEndpoints(i)[0]))
}

// Simulated is the simulated server that takes reads and writes, which only a property may look into that is Inside.
func (s *System) Simulated() *etcd.Server { return s.etcd.server }

// Claims are the properties that the system is judged by.
func (s *System) Claims() []*Property { return s.claims }

// Memory is what the last run took, if InformerOptions.ObjectBytes is set.
func (s *System) Memory() MemoryUse {
	if s.memory == nil {
		return MemoryUse{}
	}
	return s.memory.use
}

// JudgeWith sets up to how many operations a history is judged by porcupine as
// well as by the witness: linearizability.DefaultOperations if it is never
// called, none if it is negative. Reported violations are porcupine's all the
// same.
func (s *System) JudgeWith(operations int) { s.judgedOperations = operations }

// JudgedOperations is what JudgeWith was told, 0 if it was never called.
func (s *System) JudgedOperations() int { return s.judgedOperations }

func (s *System) Options() sim.Options {
	p := &s.params.Clock
	delay := func(longest sim.Duration) sim.Delay {
		if longest == 0 {
			return sim.Delay{}
		}
		return sim.Delay{Max: longest, Steps: delaySteps}
	}
	// Faults are what the safety phase adds; its delays are ten times as wide.
	wide := sim.Bounds{Network: delay(10 * p.Network), Scheduling: delay(10 * p.Scheduling)}
	declared := sim.Bounds{Network: delay(p.Network), Scheduling: delay(p.Scheduling)}
	return sim.Options{Mode: p.Mode, Safety: wide, Liveness: declared}
}

// delaySteps is how finely a delay is chosen: few values shrink well, and the
// order of events is what matters.
const delaySteps = 4

func (s *System) BeginsAtRest() bool {
	return s.params.Clock.AtRest && s.params.Clock.Mode == sim.Untimed
}

// Build implements explore.Subject. The order of the nodes is that of their
// numbers.
func (s *System) Build(w *sim.World) {
	s.etcd.build(s, w)
	for i, server := range s.servers {
		server.build(s, w, i)
	}
	s.buildClients(w)
	s.faults.Build(w)
	if s.latency != nil && s.params.Clock.Mode == sim.Timed {
		w.Follow(s.latency)
	}
	s.waitedFrom, s.healed = 0, 0
	s.etcd.resetTruth(&s.truth)
	for _, o := range s.observers {
		o.Reset()
	}
	for _, j := range s.judges {
		j.Reset()
	}
}

func (s *System) After(w *sim.World, a sim.Action) {
	observers := s.followers[a.Node]
	if w.Steps() == 1 {
		observers = s.stepObservers
	}
	for _, o := range observers {
		o.AfterStep(w, a)
	}
}

func (s *System) Over(w *sim.World) bool {
	if w.Mode() == sim.Timed {
		if w.Phase() == sim.Safety && w.Now() >= sim.Time(s.params.Faults.For) && s.ready(w) {
			s.heal(w)
		}
		if w.Now() >= sim.Time(s.params.Clock.Horizon) {
			return true
		}
		if len(s.clients.pollers.nodes) > 0 {
			return false
		}
	}
	if s.Settles(w) && w.Phase() == sim.Safety {
		s.heal(w)
	}
	done := s.clients.programsEnded() &&
		(len(s.clients.history.nodes)+len(s.informers) > 0 || w.Mode() == sim.Untimed) && s.followersDone(w)
	switch {
	case !done || !s.goesOn:
		return done
	case !s.settles:
		return w.Steps() > s.waitedFrom+patience
	}
	// The runner ends a run in which nothing is enabled.
	return w.Steps() > aided*(s.waitedFrom+unaided)
}

func (s *System) heal(w *sim.World) {
	w.Heal()
	s.healed = w.Now()
}

// Settles implements explore.Resting. A strategy has some time to come to rest by itself.
func (s *System) Settles(w *sim.World) bool {
	return s.settles && s.waitedFrom > 0 && w.Steps() > s.waitedFrom+unaided
}

// patience is in steps: many times as many as any informer of the catalogue needs
// to get up to date while all nodes take turns.
const patience = 2_000

// A run that goes on behind its last client takes so many steps as the strategy has them. Then it takes the default
// choice, for so many times as many steps as it had by then: a strategy that lets one timer fire again and again has
// piled up messages, each of which is some ten steps of work.
const unaided, aided = 500, 20

// isRepeating reports whether a run that goes on behind its last client and has not come to rest does the same again
// and again. With many rounds of clients that list and watch, or many resyncs, it may only have more to do than there
// are steps.
func (s *System) isRepeating(w *sim.World) bool {
	const maxRounds = 100
	return s.Settles(w) && s.Over(w) && max(s.params.Workload.ListWatch.Rounds, s.params.Informers.Shared.Resyncs) <= maxRounds
}

// followersDone: the clients that follow a cache have what there is, or have been
// waited for long enough. Without a clock a timer may go off again and again
// before anything else happens, so that they are waited for only for so many
// steps after the other clients are done.
func (s *System) followersDone(w *sim.World) bool {
	if s.waitedFrom == 0 {
		s.waitedFrom = w.Steps()
	}
	if w.Mode() == sim.Untimed && w.Steps() > s.waitedFrom+patience {
		return true
	}
	return s.informersDone() && s.clients.listWatchersEnded()
}

// ready reports whether all caches are, and all members of etcd that are whole servers.
func (s *System) ready(w *sim.World) bool {
	if s.etcd.members != nil && !s.etcd.members.Ready(w.Now()) {
		return false
	}
	return !slices.ContainsFunc(s.caches, func(c *Cache) bool { return !c.Ready() })
}

func (s *System) NeverReady(w *sim.World) bool {
	return w.Mode() == sim.Timed && w.Phase() == sim.Safety && w.Now() >= sim.Time(s.params.Faults.For) && !s.ready(w)
}

// NeverAtRest implements explore.Resting. Informers are waited for, too.
func (s *System) NeverAtRest(w *sim.World) bool {
	if w.Mode() == sim.Timed || s.IsAtRest(w) {
		return false
	}
	return !s.informersDone() || slices.ContainsFunc(s.claims, func(p *Property) bool { return p.Monitor.AtRest })
}

// ComesToRest reports whether a run can come to where nothing more can happen. An untimed
// one cannot if a cache relies on the progress that etcd sends by itself: its ticker may
// go off at any point, again and again.
func (p *Params) ComesToRest() (bool, error) {
	o, err := p.etcdOptions()
	return p.comesToRest(&o), err
}

func (p *Params) comesToRest(o *etcd.Options) bool {
	return p.Clock.Mode == sim.Timed || o.Watch.ProgressNotifyInterval == 0
}

// ComesToRest is that of its parameters.
func (s *System) ComesToRest() bool { return s.params.comesToRest(&s.etcd.config.Options) }

// IsOver reports whether nothing more can happen, or all the time has passed that
// there was to happen in, with nothing broken at last.
func (s *System) IsOver(w *sim.World) bool {
	if w.Mode() == sim.Timed && w.Now() >= sim.Time(s.params.Clock.Horizon) {
		return w.Phase() == sim.Liveness
	}
	return s.IsAtRest(w)
}

// IsAtRest reports whether nothing more can happen: with a clock, too, the time that is left would change nothing.
func (s *System) IsAtRest(w *sim.World) bool { return len(w.Enabled()) == 0 }

func (s *System) Judge(w *sim.World) []explore.Finding {
	s.findings = s.findings[:0]
	for _, p := range s.preparers {
		p.BeginJudging(w)
	}
	for i, j := range s.judges {
		f := j.Finding(w)
		f.Property = s.claims[i].Name
		if f.Verdict == model.Violated {
			// What was found wrong was looked at.
			f.Exercised = max(f.Exercised, 1)
		}
		s.findings = append(s.findings, f)
	}
	return s.findings
}

// ComingToRest judges runs without a clock that go on behind the last client until nothing more can happen
// (to-rest=true). One that does not end repeats itself, since all that can happen gets its turn at last: a list of a
// compacted revision follows its own 410, a watch is cancelled again and again. It is exercised once by each run that
// comes to rest.
var ComingToRest = RegisterProperty(&Property{
	Name: "comes-to-rest", Kind: Liveness, AfterRestore: true,
	Promise:  "A run without a clock comes to rest behind its last client: nothing is tried again for ever.",
	Violated: "tried again for ever",
	Monitor:  Monitor{AtRest: true},
	New: Recorded(func(s *System, w *sim.World, all *Tally) {
		if s.IsAtRest(w) {
			all.Exercised++
		} else if s.isRepeating(w) {
			all.Violatef("", Concern{}, "each client has ended, and %s later what can happen still happens again and again", sim.Some(w.Steps()-s.waitedFrom, "step"))
		}
	}),
})

// Clock says how time goes in a run, and when the run ends. An untimed run ends with the programs of the clients,
// unless ToRest.
type Clock struct {
	Mode         sim.Mode      `option:"mode"`
	AtRest       bool          `option:"at-rest" doc:"an untimed run begins when the caches have listed and watch"`
	ToRest       bool          `option:"to-rest" doc:"an untimed run goes on until nothing more can happen"`
	Network      time.Duration `option:"network" doc:"longest one-way delay of a message, timed"`
	Scheduling   time.Duration `option:"scheduling" doc:"longest wait of a loop that has work, timed"`
	Transfer     time.Duration `option:"transfer" doc:"how long each object takes from an API server to a client, timed"`
	EtcdTransfer time.Duration `option:"etcd-transfer" doc:"how long each object takes from etcd in the answer to a range, timed"`
	Horizon      time.Duration `option:"horizon" doc:"when a run ends at the latest, timed"`
	Latency      bool          `option:"latency" doc:"measure how long events take from etcd to the clients of caches, stage by stage, timed"`
	Steps        int           `option:"steps" doc:"maximum number of steps of a run"`
}

// Unread reports whether a run never looks at an option of the clock: an untimed one has no time.
func (c *Clock) Unread(name string) bool {
	return c.Mode == sim.Untimed && slices.Contains([]string{"network", "scheduling", "transfer", "etcd-transfer", "latency", "horizon"}, name)
}

// OnlyMeasures reports whether an option of the clock changes nothing that happens.
func (c *Clock) OnlyMeasures(name string) bool { return name == "latency" }

var clockGroup = option.Fields("clock",
	option.Choice("mode", func(c *Clock) *sim.Mode { return &c.Mode }, "how time goes",
		option.Val("untimed", "any armed timer may fire at any point (for safety)"),
		option.Val("timed", "every delay is chosen, and the earliest timer fires next (for liveness and cost)")),
)
