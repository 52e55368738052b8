package prove

import (
	"math"
	"slices"

	"github.com/watchbed/watchbed/explore/values"
	"github.com/watchbed/watchbed/internal/intern"
	"github.com/watchbed/watchbed/sim"
)

// The worlds of a search are in numbers, and so are the steps between them.
//
// What the worlds of a search consist of comes again and again: a state takes some 100 bytes where a world takes
// 10,000. Nothing is assumed: two parts have one number if they are equal as a whole, value by value (values.Alike).
//
//	State    a world in numbers
//	Store    what the numbers stand for, and the steps that were taken; the workers of a search share it
//	Stepper  takes steps for one worker: repeats known steps, and carries out the others
//
// One worker at a time adds a part or a step. What is there never changes, so that the others read meanwhile: a node
// that has a number is not acted on any more, but cloned.

// State is a world in numbers: each is that of a part. The places are those of what belongs to no node and no
// connection, of the counter that orders calls and returns, of the clock, of each node, and of each connection.
type State []uint32

const (
	placeRest = iota
	placeTicks
	placeNow
	// placeOfNodes is that of node 0, which has none: it is the world itself.
	placeOfNodes = placeNow
)

// Store is what states consist of, each part once, and the steps that were taken.
type Store struct {
	// lock is held while something is added, and while a node is cloned, which changes what says in a
	// node that it shares its memory.
	lock intern.Lock
	// weigh is how much memory something takes that is kept from now on, weight what all of it takes.
	weigh  func(x any) int
	weight int
	// nodes is how many there are, with the world itself.
	nodes         int
	timed, faults bool

	rests   kind[sim.RestPart]
	times   kind[sim.Time]
	objects kind[sim.Node]
	inNodes kind[nodePart]
	inConns kind[sim.ConnPart]
	steps   intern.Table[branch]
}

// kind is the parts of one kind, each once, with numbers from 1 on. met has the numbers by a digest.
type kind[T any] struct {
	intern.List[T]
	met map[sim.Digest][]uint32
}

// nodePart is a node with its loops and timers. object is the number of the node without them.
type nodePart struct {
	sim.NodePart
	object uint32
	id     sim.NodeID
}

// NewStore returns a store for the worlds that a world leads to, which has no names (sim.World.OmitNames). The error
// names the first node that has no fingerprint.
func NewStore(w *sim.World) (*Store, error) {
	if _, err := w.Behaviour(); err != nil {
		return nil, err
	}
	return &Store{weigh: values.Weigh(), nodes: w.Nodes(), timed: w.Mode() == sim.Timed, faults: len(w.RestPart().Faults) > 0}, nil
}

// Size is how many nodes and steps are kept. A search begins anew with both when there are too many.
func (s *Store) Size() (nodes, steps int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.objects.Len(), s.steps.Len()
}

// Bytes is about how much memory all of it takes.
func (s *Store) Bytes() int {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.weight + s.rests.Bytes() + s.times.Bytes() + s.objects.Bytes() + s.inNodes.Bytes() + s.inConns.Bytes() + s.steps.Bytes()
}

// Object is the number of what a node is in a state, without its loops and timers.
func (s *Store) Object(x State, n sim.NodeID) uint32 { return s.node(x, n).object }

func (s *Store) node(x State, n sim.NodeID) *nodePart { return s.inNodes.At(x[placeOfNodes+int(n)]) }

func (s *Store) placeOfConn(i int) int { return placeOfNodes + s.nodes - 1 + i }

// conns are the connections of a state, from number 1 on.
func (s *Store) conns(x State) []uint32 { return x[s.placeOfConn(1):] }

// Now is the clock of a state as a number: the same for the same reading.
func (s *Store) Now(x State) uint32 { return x[placeNow] }

// Phase is the part of the run.
func (s *Store) Phase(x State) sim.Phase { return s.rests.At(x[placeRest]).Phase }

// Faults reports whether a fault is planned in a state. The world says whether it can strike.
func (s *Store) Faults(x State) bool {
	return slices.ContainsFunc(s.rests.At(x[placeRest]).Faults, func(f sim.FaultPart) bool { return f.Ready })
}

// Enabled lists what can happen next in a state, as the world does that is put together of it. It is for a state in
// which no fault is planned (Faults).
func (s *Store) Enabled(x State, list []sim.Action) []sim.Action {
	now, first := *s.times.At(x[placeNow]), sim.Time(math.MaxInt64)
	list = list[:0]
	add := func(a sim.Action, due sim.Time) {
		if s.timed {
			if due = max(due, now); due > first {
				return
			}
			if due < first {
				list, first = list[:0], due
			}
		}
		list = append(list, a)
	}
	slot := int32(0)
	for n := sim.NodeID(1); int(n) < s.nodes; n++ {
		part := s.node(x, n)
		for _, p := range part.Loops {
			slot++
			add(sim.Action{Slot: slot, Node: n, Kind: sim.Run, Number: p.Number}, p.Due)
		}
		for _, p := range part.Timers {
			slot++
			add(sim.Action{Slot: slot, Node: n, Kind: sim.Fire, Number: p.Number}, p.Due)
		}
	}
	for i, number := range s.conns(x) {
		part := s.inConns.At(number)
		for j, ready := range part.Ready {
			slot++
			if ready {
				add(sim.Action{Slot: slot, Node: part.Receiver(j), Kind: sim.Deliver, Number: int32(2*i + 2 + j)}, part.Due(j))
			}
		}
	}
	return list
}
