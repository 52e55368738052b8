package prove

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/watchbed/watchbed/sim"
)

// Config says how far a search goes, and with what.
type Config struct {
	Bounds Bounds
	// Workers expand states at the same time; the result does not depend on how many.
	Workers int
	// States ends a search that has found so many states, For after that time, and Bytes if there is no
	// room for the states in so much memory, of which a part is for what is learned (shareOfLearned). If the
	// search is kept, states go to files then, and only the graph can end it. 0 is no limit.
	States, Bytes int
	For           time.Duration
	// Keep says where the search is kept, nil if it is not.
	Keep *Keep
	// nodes is, in a test, of how many nodes a search learns before it begins anew, maxNodes if it is 0.
	nodes int
	// Progress is called from time to time; nil is not.
	Progress func(Progress)
}

// chunkSize is how many states of a layer a worker takes at a time: neighbours share most
// of their paths. batchSize is how many are expanded before what they led to is merged.
// Both are the same for any number of workers, because which of several schedules of one
// length is kept depends on them.
const (
	chunkSize = 128
	batchSize = 32 * chunkSize
)

// maxStates is the number of states that have a number.
const maxStates = 1<<32 - 1

// Search looks at every schedule of a subject within the bounds. Each worker has a subject
// of its own from subjects; they must be the same. properties are the names of what
// JudgeStep judges, in its order. The error names what cannot be searched.
func Search(ctx context.Context, subjects func() Subject, properties []string, cfg Config) (*Result, error) {
	s := &search{
		ctx: ctx, cfg: cfg, properties: properties, began: time.Now(),
		tree: &tree{parents: []uint32{0}, steps: []step{0}}, visited: &visited{places: make([]key, leastPlaces)}, stopped: map[timer]Cut{}, counts: newCounts(len(properties)),
		last: 1,
	}
	for range max(cfg.Workers, 1) {
		w, err := newWorker(subjects(), s)
		if err != nil {
			return nil, err
		}
		s.workers = append(s.workers, w)
	}
	first := s.workers[0]
	if err := s.twins.begin(subjects(), s); err != nil {
		return nil, err
	}
	if err := s.learnAnew(); err != nil {
		return nil, err
	}
	first.enter(&first.path[0])
	var root key
	if s.starts = first.starts; s.starts {
		// State 0 is none, and the start is no step. Nothing is remembered there.
		root, s.depth = keyOf(sim.NewDigest.Text("before the start")), -1
	} else {
		root = first.key(&first.path[0], first.world)
	}
	s.visited.add(root)
	s.root = root
	if first.liveness != nil {
		s.graph = newGraph(root)
	}
	defer s.visited.close()
	if err := s.open(root); err != nil {
		return nil, err
	}
	if s.keeping != nil {
		defer s.keeping.log.Close()
	}
	if err := s.run(); err != nil {
		return nil, err
	}
	if err := s.findLasso(); err != nil {
		return nil, err
	}
	return s.result(), nil
}

type search struct {
	ctx        context.Context
	cfg        Config
	properties []string
	began      time.Time
	workers    []*worker
	learned    *learned
	frontier   frontier
	tree       *tree
	visited    *visited

	// The layer that is expanded has the states from first up to last. Those before done have
	// been expanded.
	first, last, done int
	depth, left       int
	counts
	stopped map[timer]Cut
	// starts: state 0 is before the start, which has several ways.
	starts bool
	// graph is nil if the subject has no liveness property.
	graph    *graph
	root     key
	failures []Failed
	why      string
	// goesOn is whether what ended the search is a limit of this process and not a bound.
	goesOn bool
	twins  twins
	// keeping is nil if the search is not kept. before is the time that it had taken when it was
	// taken over, covered the coverage points until then, resumed how many states it had found.
	keeping *keeping
	before  time.Duration
	covered []string
	resumed int
}

// run goes from layer to layer until one has no successors, or has a failure, or a limit
// is reached.
func (s *search) run() error {
	for ; s.first < s.last; s.depth++ {
		if s.cfg.Bounds.Depth > 0 && s.depth == s.cfg.Bounds.Depth {
			s.left, s.why = s.last-s.first, fmt.Sprintf("schedules of more than %d steps were not looked at", s.depth)
			return nil
		}
		if err := s.layer(); err != nil {
			return err
		}
		if s.left = s.tree.len() - s.done; s.failures != nil || s.why != "" || s.left == 0 {
			return nil
		}
		s.first, s.last = s.last, s.tree.len()
		f := &s.frontier
		f.layer, f.next = f.next, places{f.layer.list[:0], f.layer.ends[:0], f.layer.parts[:0]}
	}
	return nil
}

// layer expands the states of the layer that were not, batch by batch. It is kept after each.
func (s *search) layer() error {
	for s.done < s.last && s.why == "" {
		until := min(s.done+batchSize, s.last)
		found, err := s.expand(s.done, until)
		if errors.Is(err, errStopped) {
			// What the batch has found so far is found again.
			s.checkLimits()
			return s.keep(true)
		}
		if err != nil {
			return err
		}
		for _, c := range found {
			var large tooLarge
			switch err := s.merge(c); {
			case errors.As(err, &large):
				s.why = large.Error()
				return nil
			case err != nil:
				return err
			}
		}
		s.done = until
		s.tell()
		if s.why == "" && s.done < s.tree.len() {
			if err := s.makeRoom(); err != nil {
				return err
			}
			s.checkLimits()
		}
		// What is without end is found to be so again.
		if s.why != "" && !s.goesOn {
			return nil
		}
		if err := s.keep(s.why != "" || s.done == s.tree.len() || s.failures != nil && s.done == s.last); err != nil {
			return err
		}
	}
	return nil
}

// expand has the workers take chunks of a batch. What they look at stays the same until
// all are done, but for what they learn, and what they find is in the order of the states.
func (s *search) expand(first, last int) ([]*chunk, error) {
	found := make([]*chunk, (last-first+chunkSize-1)/chunkSize)
	for {
		var taken atomic.Int64
		var wait sync.WaitGroup
		for _, w := range s.workers {
			wait.Go(func() {
				for i := int(taken.Add(1)) - 1; i < len(found); i = int(taken.Add(1)) - 1 {
					if found[i] != nil {
						continue
					}
					from := first + i*chunkSize
					if found[i] = w.expand(uint32(from), uint32(min(from+chunkSize, last))); s.isLearnedFull() {
						return
					}
				}
			})
		}
		wait.Wait()
		if slices.ContainsFunc(found, func(c *chunk) bool { return c != nil && errors.Is(c.err, errStopped) }) {
			return nil, errStopped
		}
		if !slices.Contains(found, nil) {
			return found, nil
		}
		if err := s.learnAnew(); err != nil {
			return nil, err
		}
	}
}

// errStopped is what a worker ends with that was stopped in the middle of a step: one with very many answers, such
// as the start of a timed run, takes minutes.
var errStopped = errors.New("stopped")

// mustStop reports whether the search is to end before the batch does.
func (s *search) mustStop() bool {
	return s.ctx.Err() != nil || s.cfg.For > 0 && time.Since(s.began) >= s.cfg.For
}

func (s *search) isLearnedFull() bool {
	return s.learned.isFull(cmp.Or(s.cfg.nodes, maxNodes), s.share(shareOfLearned))
}

// The memory of a search, in parts of 16: what is learned, twice what the places of a layer take, and what is learned
// for twins. The rest is for states. A search begins anew to learn when that is full, with the same result.
const (
	shareOfLearned = 2
	shareOfPlaces  = 1
	shareOfTwins   = 1
	shareOfStates  = 16 - shareOfLearned - 2*shareOfPlaces - shareOfTwins
)

// leastShare is what a search needs in any case for what it learns, and for places.
const leastShare = 1 << 20

// share is how many bytes so many of the parts are.
func (s *search) share(parts int) int {
	if s.cfg.Bytes == 0 {
		return math.MaxInt
	}
	return max(s.cfg.Bytes/16*parts, leastShare*parts)
}

// learnAnew has the workers know nothing but the first state.
func (s *search) learnAnew() (err error) {
	if s.learned, err = learn(s.workers[0]); err != nil {
		return err
	}
	for _, w := range s.workers {
		if err := w.use(s.learned); err != nil {
			return err
		}
	}
	s.frontier = frontier{most: s.share(shareOfPlaces)}
	return nil
}

// merge takes in what a chunk has found.
func (s *search) merge(c *chunk) error {
	if c.err != nil {
		return c.err
	}
	s.counts.add(&c.counts)
	if s.why == "" && c.endless != "" {
		s.why = fmt.Sprintf("the bounds leave states without end: %s; --depth N ends schedules after N steps", c.endless)
	}
	for t, stopped := range c.stopped {
		stopped.Times += s.stopped[t].Times
		s.stopped[t] = stopped
	}
	for i := range c.failed {
		if err := s.fail(&c.failed[i]); err != nil {
			return err
		}
	}
	for i := range c.candidates {
		if err := s.add(c, &c.candidates[i]); err != nil {
			return err
		}
	}
	if err := s.compareTwins(c.twins); err != nil {
		return err
	}
	if s.graph != nil {
		s.Checked[s.livenessAt()] += c.reached
		s.graph.expand(c)
		if s.keeping != nil {
			s.keeping.expanded(c.expanded)
		}
	}
	return nil
}

// livenessAt is the place of the liveness property among the judged properties.
func (s *search) livenessAt() int {
	return slices.Index(s.properties, s.workers[0].liveness.Failure().Property)
}

// findLasso looks for a schedule in which the liveness property stays open for ever.
func (s *search) findLasso() error {
	if s.graph == nil || s.failures != nil {
		return nil
	}
	knot := s.graph.knot()
	if knot == nil {
		return nil
	}
	path, loop, err := s.workers[0].lasso(s.graph, knot)
	if err != nil {
		return err
	}
	s.failures = append(s.failures, Failed{Failure: s.workers[0].liveness.Failure(), Path: path, Loop: loop})
	return nil
}

// add takes in what a worker has found.
func (s *search) add(by *chunk, c *candidate) error {
	if !s.visited.add(c.key) {
		by.meet(&s.twins, twin{c.key, c.parent, c.step})
		return nil
	}
	if s.twins.has(c.key) {
		s.twins.states[c.key] = uint32(s.tree.len())
	}
	if s.tree.len() == maxStates {
		return tooLarge(fmt.Sprintf("a search has at most %d states", maxStates))
	}
	if by.learned == s.learned {
		c.at.state = uint32(s.tree.len())
		s.frontier.keep(c.at, by.parts[c.first:c.last])
	}
	s.tree.add(c.parent, c.step)
	if s.graph != nil {
		s.graph.found(c.key)
	}
	if s.keeping != nil {
		s.keeping.found(c.key, c.parent, c.step)
	}
	return nil
}

func (s *search) fail(c *candidate) error {
	for _, f := range c.failures {
		if slices.ContainsFunc(s.failures, func(x Failed) bool { return x.Failure == f }) {
			continue
		}
		path, err := s.tree.path(c.parent)
		if err != nil {
			return err
		}
		s.failures = append(s.failures, Failed{Failure: f, Path: s.pathOf(append(path, c.step))})
	}
	return nil
}

func (s *search) pathOf(steps []step) *Path {
	p := &Path{steps: steps, starts: s.starts, most: s.cfg.Bounds.Answers}
	p.Begin()
	return p
}

// checkLimits says in why which limit ends the search, if one does.
func (s *search) checkLimits() {
	switch {
	case s.ctx.Err() != nil:
		s.why = "it was interrupted"
	case s.cfg.For > 0 && time.Since(s.began) >= s.cfg.For:
		s.why = fmt.Sprintf("the time of %v was over", s.cfg.For)
	case s.cfg.States > 0 && s.tree.len() >= s.cfg.States:
		s.why = fmt.Sprintf("%d states were found", s.tree.len())
	case s.isFull() && s.keeping != nil:
		s.why = fmt.Sprintf("what cannot go to files took %d MB of memory", s.bytes()>>20)
	case s.isFull():
		s.why = fmt.Sprintf("the states took %d MB of memory, which is what a limit of %d MB leaves for them", s.bytes()>>20, s.cfg.Bytes>>20)
	}
	s.goesOn = s.why != ""
}

func (s *search) bytes() int {
	n := s.tree.bytes() + s.visited.bytes()
	if s.graph != nil {
		n += s.graph.bytes()
	}
	return n
}

func (s *search) tell() {
	if s.cfg.Progress != nil {
		s.cfg.Progress(Progress{
			States: s.visited.count, Transitions: s.Transitions, Depth: s.depth, Expanded: s.done,
			Done: s.done - s.first, Layer: s.last - s.first, Next: s.tree.len() - s.last, Elapsed: s.elapsed(),
			Bytes: s.bytes() + s.frontier.bytes() + s.learned.bytes(),
		})
	}
}

// elapsed is how long it took, with the time before it was interrupted.
func (s *search) elapsed() time.Duration { return s.before + time.Since(s.began) }

// coveragePoints are the points that were reached, by name, also those of the kept search.
func (s *search) coveragePoints() (names []string) {
	for _, x := range sim.CoveragePoints() {
		// All worlds of a worker count together.
		came := func(w *worker) bool { return w.first.Count(x) > 0 }
		if name := x.String(); slices.Contains(s.covered, name) || slices.ContainsFunc(s.workers, came) {
			names = append(names, name)
		}
	}
	return names
}

func (s *search) result() *Result {
	r := &Result{
		States: s.visited.count, Transitions: s.Transitions, Depth: s.depth, Left: s.left, Ended: s.Ended, Rested: s.Rested, Cut: []Cut{},
		CutStates: s.Cut, Fixed: s.workers[0].fixed, Checked: map[string]int{}, Failures: s.failures, Why: s.why,
		Seconds: s.elapsed().Seconds(), Bytes: s.bytes(), Resumed: s.resumed, GoesOn: s.goesOn, Filed: s.visited.count - s.visited.inTable,
		CoveragePoints: s.coveragePoints(),
	}
	for i, p := range s.properties {
		r.Checked[p] = s.Checked[i]
	}
	if s.starts {
		// What is before the start is no state.
		r.States, r.Depth = r.States-1, max(r.Depth, 0)
		r.Left = min(r.Left, r.States)
	}
	for _, what := range slices.Sorted(maps.Keys(s.Spread)) {
		r.Spread = append(r.Spread, Spread{what, s.Spread[what], s.cfg.Bounds.Answers})
	}
	world := s.workers[0].first
	for _, t := range slices.SortedFunc(maps.Keys(s.stopped), compareTimers) {
		stopped := s.stopped[t]
		stopped.Node = world.NodeName(t.node)
		r.Cut = append(r.Cut, stopped)
	}
	r.Conclude(s.properties)
	return r
}
