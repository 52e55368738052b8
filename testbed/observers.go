package testbed

import "github.com/watchbed/watchbed/sim"

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
