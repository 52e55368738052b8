package clusterbed

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/workload"

	"github.com/watchbed/watchbed/upstream/clusternode"
	"github.com/watchbed/watchbed/upstream/engine"
)

// subject implements explore.Subject: the members, their clients, the watchers, API servers and their clients, the
// holders of leases, the operator and the auditor, in this order of nodes.
type subject struct {
	config Config
	// design is that of the caches, nil if there are none.
	design *cache.Design

	members []*clusternode.Node
	clients []*workload.Client
	// sessions are the clients where they are users.
	sessions []*session
	watchers []*watcher
	caches   []sim.Node
	readers  []*workload.Client
	holders  []*holder
	operator operator
	auditor  auditor
	observer observer
	faults   []planned
	// booted are the members with which a run begins that is warm.
	booted []*clusternode.Node
	// told is what each member is told, out the parts that runs do without, each as often as it is left out, always
	// those that no run of this subject has.
	told   []*clusternode.Config
	out    map[string]int
	always []string

	findings []explore.Finding
	// said is what the story of the run has said last of something.
	said map[string]any
}

// planned is a fault, and how often it strikes.
type planned struct {
	sim.Fault
	times int
	// part is one of these, of which each is so many strikes.
	part    string
	strikes int
}

var _ explore.Subject = (*subject)(nil)

// firstMember is the number of the first member.
const firstMember sim.NodeID = 1

func newSubject(c Config, modules []*engine.Module, next *engine.Module, design *cache.Design) *subject {
	s := &subject{config: c, out: count(c.Without), always: c.Without, design: design}
	var peers []clusternode.Peer
	for i := range c.machines() {
		peers = append(peers, clusternode.Peer{Node: firstMember + sim.NodeID(i), Name: memberName(i)})
	}
	for i, m := range modules {
		guest, other := newGuest(m), newGuest(next)
		told := &clusternode.Config{Peers: peers, Self: i, Initial: c.Members, Member: c.Member, Disk: c.Disk, Choices: c.Choice}
		s.told, s.members = append(s.told, told), append(s.members, clusternode.New(told, guest, other))
	}
	for range c.Clients {
		client := new(workload.Client)
		s.clients, s.sessions = append(s.clients, client), append(s.sessions, &session{Client: client})
	}
	for range c.Watchers + c.Negative {
		s.watchers = append(s.watchers, new(watcher))
	}
	for i := range c.Caches {
		s.caches = append(s.caches, design.New(s.cacheConfig(i)))
		for range c.Readers {
			s.readers = append(s.readers, new(workload.Client))
		}
	}
	for range c.Holders {
		s.holders = append(s.holders, new(holder))
	}
	s.planFaults()
	if c.Warm {
		if err := s.warm(); err != nil {
			// Without faults each cluster comes to have a leader.
			panic(err)
		}
	}
	return s
}

// firstCache is the number of the first API server.
func (s *subject) firstCache() sim.NodeID {
	return firstMember + sim.NodeID(s.config.machines()+s.config.Clients+s.config.Watchers+s.config.Negative)
}

// cacheConfig is that of an API server. It asks the member beside it, and watches at the next one if that ends a
// stream.
func (s *subject) cacheConfig(i int) cache.Config {
	c := cache.Config{Options: s.design.Options(), Prefix: prefix, Storage: s.design.Storage, Endpoints: s.config.Members}
	for k := range s.config.Members {
		c.WatchEndpoints = append(c.WatchEndpoints, firstMember+sim.NodeID((i+k)%s.config.Members))
	}
	c.KV = c.WatchEndpoints[0]
	c.Etcd = c.KV
	return c
}

func newGuest(m *engine.Module) *engine.Guest {
	if m == nil {
		return nil
	}
	g, err := m.NewGuest()
	if err != nil {
		// The self-test has run it.
		panic(err)
	}
	return g
}

func serverName(i int) string { return fmt.Sprintf("apiserver-%d", i+1) }

func memberName(i int) string { return fmt.Sprintf("member-%d", i+1) }

// planFaults makes the faults of all members. One that lasts begins, and it ends.
func (s *subject) planFaults() {
	f := &s.config.Faults
	plan := func(of family, target string, fault sim.Fault, strikes int) {
		if times := kinds[of].times(f); times > 0 {
			s.faults = append(s.faults, planned{&drawnFault{fault, &s.operator, of}, strikes * times, strikeOf(of, target), strikes})
		}
	}
	const once, lasts = 1, 2
	var others, clients []sim.NodeID
	for i := range s.config.machines() {
		others = append(others, firstMember+sim.NodeID(i))
	}
	for i := range s.config.Clients + s.config.Watchers + s.config.Negative {
		clients = append(clients, firstMember+sim.NodeID(s.config.machines()+i))
	}
	for i := range s.config.Caches {
		server := s.firstCache() + sim.NodeID(i)
		clients = append(clients, server)
		plan(restarts, serverName(i), &sim.RestartProcess{Nodes: []sim.NodeID{server}, Label: serverName(i)}, once)
	}
	plan(backups, everyMember, clusternode.NewRestore(others, uint64(f.RevisionBump)), lasts)
	for i := range s.config.machines() {
		member, name := firstMember+sim.NodeID(i), memberName(i)
		plan(kills, name, clusternode.NewKill(member, name, false), once)
		plan(powerLosses, name, clusternode.NewKill(member, name, true), once)
		plan(pauses, name, clusternode.NewPause(member, name), lasts)
		plan(starvations, name, clusternode.NewStarve(member, name), lasts)
		plan(stalls, name, clusternode.NewStall(member, name), lasts)
		plan(fulls, name, clusternode.NewFull(member, name), lasts)
		plan(ioErrors, name, clusternode.NewIOError(member, name), once)
		plan(clockJumps, name, clusternode.NewClockJump(member, name, f.ClockJump), once)
		plan(upgrades, name, clusternode.NewUpgrade(member, name), once)
		if s.config.machines() > 1 {
			from := []sim.NodeID{member}
			plan(breaks, name, &sim.BreakStream{From: others, To: member, Label: "members>" + name}, once)
			plan(partitions, name, &sim.Partition{One: from, Other: others, Label: "between " + name + " and the others"}, lasts)
			plan(flips, name, clusternode.NewFlip(member, name, others[:s.config.Members]), once)
			plan(streamCuts, name, clusternode.NewStreamCut(member, name), lasts)
			plan(outages, name, &sim.Partition{One: from, Other: others, Breaks: true, Label: "between " + name + " and the others"}, lasts)
			plan(oneWays, name, &sim.Partition{One: from, Other: others, OneWay: true, Label: "from " + name + " to the others"}, lasts)
		}
		plan(losses, name, &sim.BreakStream{From: clients, To: member, Label: "clients>" + name}, once)
	}
}

// drawnFault is a fault of a family that a run has or not, as its operator has drawn.
type drawnFault struct {
	sim.Fault
	operator *operator
	of       family
}

// Ready implements sim.Fault.
func (f *drawnFault) Ready(w *sim.World) bool { return f.operator.strikes[f.of] && f.Fault.Ready(w) }

// Strike implements sim.Fault.
func (f *drawnFault) Strike(env *sim.Env) {
	env.Cover(covers[f.of])
	f.Fault.Strike(env)
}

// Heal implements sim.Healer.
func (f *drawnFault) Heal(env *sim.Env) {
	if h, lasts := f.Fault.(sim.Healer); lasts {
		h.Heal(env)
	}
}

// Options implements explore.Subject.
func (s *subject) Options() sim.Options {
	bounds := func(network sim.Duration) sim.Bounds {
		return sim.Bounds{Network: sim.Delay{Max: network, Steps: delaySteps}}
	}
	network := s.config.Network
	if s.without(partNetwork) {
		network = 0
	}
	return sim.Options{Mode: sim.Timed, Safety: bounds(network), Liveness: bounds(network / 10)}
}

// delaySteps is how finely a delay is chosen.
const delaySteps = 4

// Build implements explore.Subject.
func (s *subject) Build(w *sim.World) {
	s.said = map[string]any{}
	for i, m := range s.members {
		s.told[i].Choices = s.choices()
		if s.config.Warm {
			m.Become(s.booted[i])
		} else {
			m.Reset()
		}
		w.Add(memberName(i), m)
	}
	for i, c := range s.clients {
		c.Reset(clientName(i), i, nil, 0)
		c.SetDraw(s.draw(c.Name(), i))
		if !s.config.Auth {
			w.Add(c.Name(), c)
			continue
		}
		of := s.sessions[i]
		of.login, of.tokens = s.login(users[i%len(users)], i), of.tokens[:0]
		c.SetWrap(of.gives)
		w.Add(c.Name(), of)
	}
	progress := s.config.Progress
	if s.without(partProgress) {
		progress = 0
	}
	for i, c := range s.watchers {
		c.reset(watcherName(i), s.config.Boot, progress, s.config.Ahead, len(s.members), i)
		c.negative = i >= s.config.Watchers
		c.login, c.some = s.login([...]string{"reader", "part"}[i%2], i), s.config.Auth && i%2 == 1
		w.Add(c.name, s.unless(c.name, c))
	}
	for i, c := range s.caches {
		c.(cache.Resetter).Reset(s.cacheConfig(i))
		w.Add(serverName(i), c)
	}
	for i, c := range s.readers {
		server := i / s.config.Readers
		c.Reset(readerName(i), len(s.clients)+1+i, nil, s.firstCache()+sim.NodeID(server))
		c.SetDraw(s.reads(s.firstCache() + sim.NodeID(server)))
		w.Add(c.Name(), s.unless(c.Name(), c))
	}
	for i, c := range s.holders {
		c.reset(i, len(s.members), s.config.Boot, s.config.TTL)
		c.login = s.login(users[i%len(users)], i)
		w.Add(c.name, s.unless(c.name, c))
	}
	s.operator.reset(&s.config, s.out)
	if s.config.Auth {
		s.operator.permissions.root = s.login(root, 0)
		s.operator.permissions.setUpBefore()
	}
	w.Add("operator", &s.operator)
	s.auditor.reset(&s.config, len(s.caches), s.firstCache())
	w.Add(auditorName, &s.auditor)
	s.auditor.logIn(s.login)
	s.observer.reset(&s.config)
	s.observer.login = s.login(root, 0)
	w.Add("observer", s.unless(partObserver, &s.observer))
	for _, f := range s.faults {
		w.AddFault(f.Fault, sim.Budget{Times: f.times - f.strikes*s.out[f.part], Within: s.config.For})
	}
}

// login is that of a user, which asks the member at a place first. Without authentication it is that of none.
func (s *subject) login(user string, home int) login {
	if !s.config.Auth {
		return login{}
	}
	return login{user: user, home: home, members: len(s.members)}
}

// After implements explore.Subject.
func (s *subject) After(*sim.World, sim.Action) {}

// Over implements explore.Subject.
func (s *subject) Over(w *sim.World) bool {
	if w.Phase() == sim.Safety && w.Now() >= sim.Time(s.config.For) {
		w.Heal()
	}
	return s.auditor.done() || w.Now() >= sim.Time(s.config.For+s.config.Settle)
}
