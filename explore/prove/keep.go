package prove

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/checkpoint"
	"github.com/watchbed/watchbed/sim"
)

// Keep says where a search is kept on disk, so that it goes on after it was interrupted or
// killed. What it comes to does not depend on how often that was.
type Keep struct {
	Dir string
	// Question has NAME=VALUE for everything on which the result depends: subject, properties,
	// bounds, and the program itself. A search goes on only with the same question.
	Question []string
	// Every is the least time between two writes.
	Every time.Duration
}

// keeping is a search that is kept.
type keeping struct {
	log   *checkpoint.Log
	root  key
	every time.Duration
	last  time.Time
	// states and graph are what was found since the last write, in the form of the files.
	states, graph []byte
}

// stateBytes is a state on disk: its key, the state before it and the step.
const stateBytes = keyBytes + 4 + 4

func (k *keeping) found(of key, parent uint32, s step) {
	b := putKey(k.states, of)
	b = binary.LittleEndian.AppendUint32(b, parent)
	k.states = binary.LittleEndian.AppendUint32(b, uint32(s))
}

func readState(b []byte) (k key, parent uint32, s step) {
	rest := b[keyBytes:]
	return readKey(b), binary.LittleEndian.Uint32(rest), step(binary.LittleEndian.Uint32(rest[4:]))
}

func (k *keeping) expanded(states []expanded) {
	for i := range states {
		e := &states[i]
		k.graph = binary.AppendUvarint(k.graph, e.open)
		k.graph = binary.AppendUvarint(k.graph, uint64(len(e.edges)))
		for _, x := range e.edges {
			k.graph = binary.AppendUvarint(k.graph, uint64(x.to))
			k.graph = binary.AppendUvarint(k.graph, uint64(x.thread))
		}
		k.graph = binary.AppendUvarint(k.graph, uint64(len(e.kept)))
		for _, t := range e.kept {
			k.graph = binary.AppendUvarint(k.graph, uint64(t))
		}
	}
}

// now is what a search knows besides its states and its graph.
type now struct {
	// Root is the key of the first state.
	Root                     key
	First, Last, Done, Depth int
	counts
	Stopped  []keptStopped `json:",omitempty"`
	Failures []keptFailure `json:",omitempty"`
	// Covered are the coverage points that came about, by name.
	Covered []string
	Seconds float64
}

type keptStopped struct {
	Node, Timer, Times int
	Name               string
}

type keptFailure struct {
	explore.Failure
	Steps []step
}

// open opens what is kept of the search, and takes it over. root is the key of the
// first state, which is there already.
func (s *search) open(root key) error {
	if s.cfg.Keep == nil {
		return nil
	}
	s.keeping = &keeping{root: root, every: s.cfg.Keep.Every, last: time.Now()}
	log, err := checkpoint.Open(s.cfg.Keep.Dir, s.cfg.Keep.Question, func(p checkpoint.Part) error { return s.takeOver(p) })
	if err != nil {
		return err
	}
	s.keeping.log, s.tree.file = log, log
	if s.resumed = s.tree.len(); s.resumed == 1 && s.done == 0 {
		s.resumed = 0
	}
	return nil
}

// takeOver takes over one part. Its checksums were right, so what does not fit here was
// written by other code.
func (s *search) takeOver(p checkpoint.Part) error {
	other := fmt.Errorf("%s keeps a search that does not fit this program: remove it to begin anew", s.cfg.Keep.Dir)
	for b := p.States; len(b) > 0; b = b[stateBytes:] {
		if len(b) < stateBytes {
			return other
		}
		k, parent, taken := readState(b)
		if int(parent) >= s.tree.len() || !s.visited.add(k) {
			return other
		}
		s.tree.add(parent, taken)
		if s.graph != nil {
			s.graph.found(k)
		}
	}
	if s.graph != nil && !s.graph.takeOver(p.Graph) {
		return other
	}
	var at now
	if json.Unmarshal(p.Now, &at) != nil || at.Root != s.keeping.root || at.Last > s.tree.len() || at.Done > at.Last || len(at.Checked) != len(s.Checked) {
		return other
	}
	s.first, s.last, s.done, s.depth = at.First, at.Last, at.Done, at.Depth
	s.counts = newCounts(len(s.properties))
	s.counts.add(&at.counts)
	s.before = time.Duration(at.Seconds * float64(time.Second))
	s.covered = at.Covered
	for _, x := range at.Stopped {
		s.stopped[timer{sim.NodeID(x.Node), sim.Timer(x.Timer)}] = Cut{Timer: x.Name, Times: x.Times}
	}
	if s.isFull() {
		if err := s.forget(); err != nil {
			return err
		}
	}
	s.failures = nil
	for _, f := range at.Failures {
		s.failures = append(s.failures, Failed{Failure: f.Failure, Path: s.pathOf(f.Steps)})
	}
	return nil
}

// takeOver reads what keeping.expanded wrote.
func (g *graph) takeOver(b []byte) bool {
	fits := true
	next := func(limit uint64) uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > limit {
			fits = false
			return 0
		}
		b = b[n:]
		return v
	}
	const any = 1<<64 - 1
	for len(b) > 0 && fits {
		e := expanded{open: next(any)}
		for range next(uint64(len(b))) {
			e.edges = append(e.edges, edge{to: uint32(next(uint64(len(g.keys) - 1))), thread: thread(next(any))})
		}
		for range next(uint64(len(b))) {
			e.kept = append(e.kept, thread(next(any)))
		}
		g.edges += len(e.edges)
		g.states = append(g.states, e)
	}
	return fits
}

// keep writes what was found since the last time, at the end of a batch. At the end of the
// search it is due in any case.
func (s *search) keep(due bool) error {
	k := s.keeping
	if k == nil || !due && time.Since(k.last) < k.every {
		return nil
	}
	at := now{
		Root: k.root, First: s.first, Last: s.last, Done: s.done, Depth: s.depth, counts: s.counts, Covered: s.coveragePoints(), Seconds: s.elapsed().Seconds(),
	}
	for _, t := range slices.SortedFunc(maps.Keys(s.stopped), compareTimers) {
		at.Stopped = append(at.Stopped, keptStopped{int(t.node), int(t.number), s.stopped[t].Times, s.stopped[t].Timer})
	}
	for _, f := range s.failures {
		at.Failures = append(at.Failures, keptFailure{f.Failure, f.Path.(*Path).steps})
	}
	text, err := json.Marshal(at)
	if err != nil {
		return err
	}
	if err := k.log.Append(checkpoint.Part{States: k.states, Graph: k.graph, Now: text}); err != nil {
		return err
	}
	k.last, k.states, k.graph = time.Now(), k.states[:0], k.graph[:0]
	return nil
}

// isFull reports whether the states take the memory that they may take, or will before it is
// asked again.
func (s *search) isFull() bool {
	if s.cfg.Bytes == 0 {
		return false
	}
	n := s.bytes()
	if s.keeping != nil && s.visited.growsSoon() {
		n += s.visited.bytes()
	}
	return n >= s.cfg.Bytes/16*shareOfStates
}

// makeRoom leaves the states to files, if the search is kept and memory is full.
func (s *search) makeRoom() error {
	if s.keeping == nil || !s.isFull() {
		return nil
	}
	if err := s.keep(true); err != nil {
		return err
	}
	return s.forget()
}

// forget leaves the states to the files, which have them.
func (s *search) forget() error {
	s.tree.forget()
	if err := s.visited.spill(s.cfg.Keep.Dir); err != nil {
		return fmt.Errorf("cannot write the states that memory does not hold: %w", err)
	}
	return nil
}
