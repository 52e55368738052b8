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

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
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

// Serves is the member that serves watches, or all of them together if each does.
func (s *System) Serves() EtcdState {
	if s.topology.Watches != s.topology.Etcd {
		return s.etcd.state(1)
	}
	return s.Etcd()
}

// ServesStream is the member at which the i-th client of etcd's watch protocol watches.
func (s *System) ServesStream(i int) EtcdState {
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
