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

// Stepper takes steps between states for one worker of a search.
type Stepper struct {
	store *Store
	alike func(a, b any) bool
	// at is a world in which steps are carried out, cells what they touch. The others are memory of Behaviour and
	// World.
	at      *sim.World
	cells   sim.Footprint
	holders []sim.Digest
	parts   sim.Parts
}

// Stepper returns one for a worker whose world is this one: one of those for which the store was made. first is the
// state of the world.
func (s *Store) Stepper(w *sim.World) (p *Stepper, first State, err error) {
	p = &Stepper{store: s, alike: values.Alike(), at: &sim.World{}}
	if err := w.Fork(p.at); err != nil {
		return nil, nil, err
	}
	return p, p.Apart(p.at, nil, nil), nil
}

// World puts a state together, into a world that was forked from one like that for which the store was made: it keeps
// its faults.
func (p *Stepper) World(x State, w *sim.World) *sim.World {
	s, parts := p.store, &p.parts
	parts.Rest, parts.Ticks, parts.Now, parts.Clone = s.rests.At(x[placeRest]), int64(x[placeTicks]), *s.times.At(x[placeNow]), s.clone
	parts.Nodes, parts.Conns = parts.Nodes[:0], parts.Conns[:0]
	for n := 1; n < s.nodes; n++ {
		parts.Nodes = append(parts.Nodes, &s.node(x, sim.NodeID(n)).NodePart)
	}
	for _, number := range s.conns(x) {
		parts.Conns = append(parts.Conns, s.inConns.At(number))
	}
	w.Assemble(parts)
	return w
}

// clone is a clone of a node. It has no memory of the step that led to it, and is marked as one of two that share it.
func (s *Store) clone(n sim.Node) sim.Node {
	s.lock.Lock()
	// The code under test may panic.
	defer s.lock.Unlock()
	return n.(sim.Cloner).Clone()
}

// Apart takes a world apart, into the memory of a state: one that was put together from another state, or that began as
// the first one did, for which from is nil.
func (p *Stepper) Apart(w *sim.World, from, into State) State {
	x := into[:0]
	for place := range p.store.placeOfConn(w.Connections()) {
		x = append(x, p.value(w, from, place))
	}
	return x
}

// value is what a world has in a place of its state. from is the state from which it was put together, nil if it was
// not.
func (p *Stepper) value(w *sim.World, from State, place int) uint32 {
	s := p.store
	switch {
	case place == placeRest:
		rest := w.RestPart()
		return number(p, &s.rests, rest.Digest, &rest)
	case place == placeTicks:
		return uint32(w.Ticks())
	case place == placeNow:
		now := w.Now()
		return number(p, &s.times, sim.NewDigest.Int(int64(now)), &now)
	case place < s.placeOfConn(1):
		return p.node(w, from, sim.NodeID(place-placeOfNodes))
	}
	conn := w.ConnPart(place - s.placeOfConn(0))
	return number(p, &s.inConns, conn.Digest.Word(uint64(conn.ID)), &conn)
}

func (p *Stepper) node(w *sim.World, from State, n sim.NodeID) uint32 {
	s, part := p.store, nodePart{id: n}
	// It was possible at first.
	part.NodePart, _ = w.NodePart(n)
	// A node that has acted is another one.
	if from != nil && s.node(from, n).Node == part.Node {
		part.object = s.Object(from, n)
	} else {
		clone := s.clone(part.Node)
		part.object = number(p, &s.objects, part.Node.(sim.Fingerprinter).Fingerprint(sim.NewDigest), &clone)
		part.Node = *s.objects.At(part.object)
	}
	return number(p, &s.inNodes, part.Digest.Word(uint64(part.object)<<16|uint64(n)), &part)
}

// maxAlike is with how many of those with its digest a part is compared.
const maxAlike = 16

// partBytes is about what a part takes besides what is in it.
const partBytes = 100

// number is that of the first part that is equal to this one.
func number[T any](p *Stepper, k *kind[T], digest sim.Digest, x *T) uint32 {
	s := p.store
	s.lock.Lock()
	met := k.met[digest]
	s.lock.Unlock()
	// What was met stays where it is, so that parts are compared while others add.
	if known := find(p, k, met, x); known != 0 {
		return known
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	all := k.met[digest]
	if known := find(p, k, all[len(met):], x); known != 0 {
		return known
	}
	if k.met == nil {
		// Number 0 is no part.
		k.met = map[sim.Digest][]uint32{}
		k.Reach(0)
	}
	added := k.Add(*x)
	if len(all) < maxAlike {
		k.met[digest] = append(all, added)
	}
	s.weight += s.weigh(*x) + partBytes
	return added
}

func find[T any](p *Stepper, k *kind[T], met []uint32, x *T) uint32 {
	for _, i := range met {
		if p.alike(k.At(i), x) {
			return i
		}
	}
	return 0
}

// Behaviour is sim.World.Behaviour of a state.
func (p *Stepper) Behaviour(x State) sim.Digest {
	s := p.store
	d := s.rests.At(x[placeRest]).Digest
	if s.timed {
		d = d.Int(int64(*s.times.At(x[placeNow])))
	}
	conns := x[s.placeOfConn(0):]
	p.holders = append(p.holders[:0], make([]sim.Digest, len(conns))...)
	link := func(i int) *sim.Link { return &s.inConns.At(conns[i]).Link }
	for n := sim.NodeID(1); int(n) < s.nodes; n++ {
		part := s.node(x, n)
		d = d.Fold(part.Digest)
		sim.AddHolders(p.holders, n, part.Conns, link)
	}
	var sum sim.Digest
	for i, number := range s.conns(x) {
		if part := s.inConns.At(number); !part.IsFree() {
			sum = sum.And(part.Link.Digest(part.Digest, p.holders[i+1]))
		}
	}
	return d.Fold(sum)
}
