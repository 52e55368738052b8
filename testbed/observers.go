package testbed

import (
	"cmp"
	"iter"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// Observer is what the judges of several properties share. It may implement
// StepObserver and Preparer.
type Observer interface {
	// Reset begins a run.
	Reset()
}

// StepObserver is implemented by a Judge, or by what judges share, that looks at the
// world after steps: after all of them, or after those that it follows.
type StepObserver interface {
	AfterStep(w *sim.World, a sim.Action)
}

// Follower is implemented by a StepObserver that looks at the steps of some nodes only. A
// campaign spends a good part of its time in observers, and most steps are of nodes that
// an observer does not look at.
//
// A step may change more than the node whose step it is. A fault changes any node: it is
// a step of the world. A cache that panics takes its process down, the other caches in it
// included. The first step of a run is shown to all observers, since nodes have started
// before it.
type Follower interface {
	Follows(p Part) bool
}

// Preparer is implemented by what judges share if it has work to do before they
// are asked for their findings.
type Preparer interface {
	BeginJudging(w *sim.World)
}

// Remembering is a judge, or what judges share, that has seen in earlier steps what no node has
// recorded. A search over states carries it along. One that judges schedules at their ends does not,
// and leaves out properties with such a judge, or with one that asks for what is Remembering (Shared).
type Remembering interface {
	StepObserver
	// Reset begins a run.
	Reset()
	// Memory is what it has seen so far. It must not be changed any more.
	Memory() any
	// Recall goes on from it, in a world that a search has adopted.
	Recall(memory any)
}

// Shared returns the observer of this type that the properties of a system share.
// The first property that asks makes it.
func Shared[T Observer](s *System, make func(*System) T) T {
	shared, made := find[T](s.observers)
	if !made {
		shared = make(s)
		s.observers = append(s.observers, shared)
	}
	if _, ok := any(shared).(Remembering); ok && len(s.judges) < len(s.claims) {
		s.ofMemory[len(s.judges)] = true
	}
	return shared
}

func find[T Observer](among []Observer) (found T, ok bool) {
	if all := capable[T](among); len(all) > 0 {
		return all[0], true
	}
	return found, false
}

// capable are those of a list that are a T as well.
func capable[T, O any](among []O) (all []T) {
	for _, o := range among {
		if x, ok := any(o).(T); ok {
			all = append(all, x)
		}
	}
	return all
}

// makeJudges makes the judges of all claims, and finds out which of them look at which
// steps.
func (s *System) makeJudges() {
	s.ofMemory = make([]bool, len(s.claims))
	for _, p := range s.claims {
		if p.Inside && s.etcd.members != nil || !p.AfterRestore && s.params.Faults.Restores > 0 {
			s.judges = append(s.judges, Recorded(func(*System, *sim.World, *Tally) {})(s))
			continue
		}
		s.judges = append(s.judges, p.New(s))
	}
	s.stepObservers = append(capable[StepObserver](s.observers), capable[StepObserver](s.judges)...)
	s.preparers = capable[Preparer](s.observers)
	s.followers = make([][]StepObserver, len(s.roles))
	for n, role := range s.roles {
		for _, o := range s.stepObservers {
			if follows(o, role.Part) {
				s.followers[n] = append(s.followers[n], o)
			}
		}
	}
}

// FollowAll shows all steps to all observers, as if there were no Follower: the slow way, to
// which a test holds the fast one. It is no test file, because go test would build each package
// above this one a second time for the tests here.
func (s *System) FollowAll() {
	for n := range s.followers {
		s.followers[n] = s.stepObservers
	}
}

// Part is the part that a node has in a system.
type Part uint8

// TheWorld is no node: its steps are faults. The others are in the order of their
// numbers, but for the nodes of an API server, which come server by server.
const (
	TheWorld Part = iota
	EtcdMember
	ClientLibrary
	CacheNode
	CompactorNode
	HistoryClient
	WatcherNode
	StreamNode
	InformerNode
	ListWatcherNode
	PollerNode
	DrawnWatcherNode
)

// AllParts are those of all nodes, and of faults.
var AllParts = []Part{
	TheWorld, EtcdMember, ClientLibrary, CacheNode, CompactorNode, HistoryClient, WatcherNode, StreamNode, InformerNode,
	ListWatcherNode, PollerNode, DrawnWatcherNode,
}

// Role is the part of a node, and its place among the nodes of that part: in
// System.Members, Caches, Clients, Watchers, and so on.
type Role struct {
	Part  Part
	Place int
}

// Role is that of a node, the same in all runs.
func (s *System) Role(n sim.NodeID) Role { return s.roles[n] }

// parts is how many nodes have a part.
func (s *System) parts(p Part) (n int) {
	for _, r := range s.roles[1:] {
		if r.Part == p {
			n++
		}
	}
	return n
}

// number is that of the next node.
func (s *System) number(p Part, place int) sim.NodeID {
	s.roles = append(s.roles, Role{p, place})
	return sim.NodeID(len(s.roles) - 1)
}

// numberServers gives the nodes of etcd and of the API servers their roles. The topology
// has numbered them.
func (s *System) numberServers() {
	t := s.topology
	s.roles = make([]Role, t.Next)
	for i, n := range t.Members {
		s.roles[n] = Role{EtcdMember, i}
	}
	caches := 0
	for i := range t.APIServers {
		server := &t.APIServers[i]
		s.roles[server.Client] = Role{ClientLibrary, i}
		for _, n := range server.Caches {
			s.roles[n] = Role{CacheNode, caches}
			caches++
		}
		if server.Compactor != 0 {
			s.roles[server.Compactor] = Role{CompactorNode, i}
		}
	}
}

// Operation is one of a client of the history, with all that the client recorded of it.
type Operation struct {
	*model.Operation
	Client *workload.Client
	// Place is that of the client in System.Clients, Number counts the client's operations.
	Place, Number int
	Span          *workload.Span
	// Message is what was asked for.
	Message sim.Payload
}

// Violate notes that an operation violates a property. The format begins with the name of the client.
func (o *Operation) Violate(all *Tally, label, format string, args ...any) {
	all.Violatef(label, Concern{Client: o.Client.Name(), Call: o.Call}, format, append([]any{o.Client.Name()}, args...)...)
}

// OperationsOf are those of one client, in their order, since etcd was restored from a backup. Each is valid until the
// next.
func (s *System) OperationsOf(client int) iter.Seq[*Operation] {
	return func(yield func(*Operation) bool) {
		c, o := s.clients.history.nodes[client], new(Operation)
		ops, spans, messages := c.Operations(), c.Spans(), c.Requests()
		for i := s.firstJudged(ops); i < len(ops); i++ {
			if *o = (Operation{&ops[i], c, client, i, &spans[i], messages[i]}); !yield(o) {
				return
			}
		}
	}
}

// Operations are those of all clients of the history, client by client.
func (s *System) Operations() iter.Seq[*Operation] {
	return func(yield func(*Operation) bool) {
		for i := range s.clients.history.nodes {
			for o := range s.OperationsOf(i) {
				if !yield(o) {
					return
				}
			}
		}
	}
}

// Watch is one of a client of caches, whichever kind of client that is.
type Watch struct {
	// Stream has what came.
	*workload.Stream
	Client string
	Part   Part
	// Node is the client.
	Node interface{ Fingerprint(d sim.Digest) sim.Digest }
	// Place is that of the client among the watchers, the list watchers and those that draw their
	// watches, one behind the other; Number counts the client's watches.
	Place, Number int
	// Last: it is the last one of its client. Open: it is, and has not ended. Stopped: its client takes nothing more.
	Last, Open, Stopped bool
	// Values is what the values of the objects look like that it selects.
	Values model.ValuePattern
}

// Failed is the error that ended the watch, nil if there was none.
func (w *Watch) Failed() *wire.Error {
	if n := len(w.Events); n > 0 && w.Events[n-1].Type == wire.Failed {
		return w.Events[n-1].Err
	}
	return nil
}

// Watchers are the parts of clients that watch caches.
var Watchers = []Part{WatcherNode, ListWatcherNode, DrawnWatcherNode}

// AwaitsEnd reports whether its initial events have not ended yet.
func (w *Watch) AwaitsEnd() bool { return w.IsList() && w.End < 0 }

// Changes are the events behind the initial ones, if there are any, and the resourceVersion behind which they begin.
func (w *Watch) Changes() (after int64, events []*wire.WatchEvent) {
	if w.IsList() && w.End >= 0 {
		return w.Events[w.End].ResourceVersion, w.Events[w.End+1:]
	}
	return w.Request.ResourceVersion, w.Events
}

// Watches are those of clients of these parts, client by client, of all that watch caches if none is given.
func (s *System) Watches(of ...Part) iter.Seq[*Watch] {
	if of == nil {
		of = Watchers
	}
	return func(yield func(*Watch) bool) {
		for _, part := range of {
			for i := range s.parts(part) {
				for n := range s.watches(part, i) {
					if !yield(s.watch(part, i, n)) {
						return
					}
				}
			}
		}
	}
}

// LastWatch is that of a client, nil if it has none or is of another part.
func (s *System) LastWatch(of Role) *Watch {
	if n := s.watches(of.Part, of.Place); n > 0 {
		return s.watch(of.Part, of.Place, n-1)
	}
	return nil
}

// watcher is a client that watches caches, whichever kind it is.
type watcher interface {
	sim.Fingerprinter
	Name() string
	Streams() []workload.Stream
	Watching() bool
	Conn() sim.Conn
}

// OpenWatch is a watch of a cache that a client has, whichever kind of client that is.
type OpenWatch struct {
	Client string
	To     sim.NodeID
	Conn   sim.Conn
}

// OpenWatches are those of all clients.
func (s *System) OpenWatches() iter.Seq[OpenWatch] {
	return func(yield func(OpenWatch) bool) {
		for _, part := range Watchers {
			for i := range s.parts(part) {
				c, _ := s.watcher(part, i)
				if all := c.Streams(); c.Watching() && !yield(OpenWatch{c.Name(), all[len(all)-1].To, c.Conn()}) {
					return
				}
			}
		}
		for _, n := range s.informers {
			if n.Conn() != sim.NoConn && !yield(OpenWatch{n.Name, n.Server(), n.Conn()}) {
				return
			}
		}
	}
}

// watcher is one of the clients of a part, and its place among all that watch caches; nil if those of the part do not.
func (s *System) watcher(part Part, i int) (c watcher, place int) {
	of := &s.clients
	switch part {
	case WatcherNode:
		return of.watchers.nodes[i], i
	case ListWatcherNode:
		return of.listWatchers.nodes[i], len(of.watchers.nodes) + i
	case DrawnWatcherNode:
		return of.drawnWatchers.nodes[i], len(of.watchers.nodes) + len(of.listWatchers.nodes) + i
	}
	return nil, 0
}

// watches is how many a client has.
func (s *System) watches(part Part, i int) int {
	if c, _ := s.watcher(part, i); c != nil {
		return len(c.Streams())
	}
	return 0
}

// watch is the n-th one of a client.
func (s *System) watch(part Part, i, n int) *Watch {
	c, place := s.watcher(part, i)
	w := &Watch{Stream: &c.Streams()[n], Client: c.Name(), Part: part, Node: c, Place: place, Number: n, Last: n == len(c.Streams())-1}
	w.Open, w.Stopped = w.Last && c.Watching(), part == WatcherNode && s.clients.watchers.nodes[i].HasStopped()
	w.Values = workload.Values(w.Request.Selector)
	return w
}

// Capable are the caches of a system whose nodes can do something.
func Capable[T any](s *System) iter.Seq2[*Cache, T] {
	return func(yield func(*Cache, T) bool) {
		for _, c := range s.caches {
			if can, ok := c.Node.(T); ok && !yield(c, can) {
				return
			}
		}
	}
}

// Extremes are the least and the greatest value that the API servers of caches have in a run, in which
// they may be replaced.
func Extremes[T cmp.Ordered](caches []*Cache, of func(*Server) T) (least, most T) {
	first := true
	for _, c := range caches {
		for _, server := range c.servers {
			own := of(server)
			if first {
				least, most, first = own, own, false
			}
			least, most = min(least, own), max(most, own)
		}
	}
	return least, most
}

// AnyServer reports whether something is so of an API server that caches may have in a run.
func AnyServer(caches []*Cache, is func(*Server) bool) bool {
	for _, c := range caches {
		for _, server := range c.servers {
			if is(server) {
				return true
			}
		}
	}
	return false
}
