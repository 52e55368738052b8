package recording

import (
	"context"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/sim"
)

// Parted is a subject whose runs are made of parts that can be left out, such as operations of clients and faults.
type Parted interface {
	// Parts are those of which runs are made now.
	Parts() []Kind
	// LeaveOut has later runs do without these parts, and with all others that runs had at first.
	LeaveOut(parts []string)
}

// Kind is all parts of a kind. Alike ones may have the same name.
type Kind struct {
	Name  string
	Parts []string
}

// Reduce looks for a plain run that fails in the given way, beginning with a recorded one, in so many runs at most.
// It is for timed subjects of which few runs are affordable. Shrink makes answers larger where that makes a run
// shorter, and looks at each one. Reduce takes away much at once: kinds of parts, then halves of them, then all
// answers to alike questions, then halves of those. It counts no steps until the end, where the run is cut off behind
// the violation: that takes some runs more.
//
// parted may be nil. It is left with the parts that the smaller run has.
func Reduce(ctx context.Context, r *explore.Runner, parted Parted, rec *Recording, f explore.Failure, runs int) (*Shrunk, error) {
	s, err := newShrinker(ctx, r, rec, f, runs)
	if err != nil {
		return nil, err
	}
	s.follower.finish = true
	d := &reducer{shrinker: s, parted: parted}
	d.cut()
	for before := -1; d.going() && d.taken != before; {
		before = d.taken
		kinds := d.parts(func(k Kind) [][]string { return [][]string{k.Parts} })
		for pieces := 1; pieces < 2*len(kinds); pieces *= 2 {
			kinds = d.leaveOut(kinds, pieces)
		}
		d.plain(1)
		single := d.parts(func(k Kind) (all [][]string) {
			for i := range k.Parts {
				all = append(all, k.Parts[i:i+1])
			}
			return all
		})
		for pieces := 2; pieces < 2*len(single); pieces *= 2 {
			single = d.leaveOut(single, pieces)
		}
		d.cut()
		for pieces := 2; d.plain(pieces) > pieces; pieces *= 2 {
		}
		d.half()
		d.cut()
	}
	complete := d.going()
	if !complete {
		d.cut()
	}
	deciding := d.deciding()
	small, err := s.shrunk(rec, runs, complete)
	if err == nil {
		small.Deciding = deciding
	}
	return small, err
}

// reducer takes a candidate for smaller if it fails in the same way: each has less of something.
type reducer struct {
	*shrinker
	parted Parted
	// out are the parts that are left out.
	out []string
	// shown is how many steps there were when the run was last cut off.
	shown int
	// taken counts the candidates that were taken.
	taken int
}

// try carries out a candidate.
func (s *reducer) try(p *plan) bool {
	if !s.going() {
		return false
	}
	s.left--
	s.follower.begin(p)
	res := s.runBest()
	if res == nil {
		return false
	}
	s.best, s.over = s.follower.plan.clone(), !res.Truncated
	s.taken++
	return true
}

// runBest carries out the run that the follower has begun, and returns nil if it does not fail in this way.
func (s *reducer) runBest() *explore.Result {
	// What is left out may have what remains come later.
	res := s.runner.RunUpTo(s.follower, s.shown+s.shown/4+spare)
	if res.Find(s.failure) == nil {
		return nil
	}
	return &res
}

// spare is how many steps more than a quarter a candidate may take.
const spare = 64

// cut cuts the run off behind the step with which the violation shows. It looks for that from the end, however many
// runs are left.
func (s *reducer) cut() {
	low, high := 0, len(s.best.steps)
	for stride := 1; low < high && s.ctx.Err() == nil; stride *= 2 {
		at := (low + high) / 2
		if low == 0 {
			at = max(0, high-stride)
		}
		s.left--
		s.follower.begin(&s.best)
		if res := s.runner.RunUpTo(s.follower, at); res.Find(s.failure) != nil {
			high, s.over = at, false
		} else {
			low = at + 1
		}
	}
	s.best.steps = s.best.steps[:high]
	s.shown = high
}

// parts are the parts of runs, in units of a kind.
func (s *reducer) parts(units func(Kind) [][]string) (all [][]string) {
	if s.parted != nil {
		for _, k := range s.parted.Parts() {
			all = append(all, units(k)...)
		}
	}
	return all
}

// leaveOut leaves out so many pieces of the parts, one after the other, and returns the remaining parts.
func (s *reducer) leaveOut(parts [][]string, pieces int) [][]string {
	if len(parts) == 0 || 2*len(parts) <= pieces {
		return parts
	}
	size := (len(parts) + pieces - 1) / pieces
	for end := len(parts); end > 0 && s.going(); end = max(0, end-size) {
		start := max(0, end-size)
		out := slices.Concat(s.out, slices.Concat(parts[start:end]...))
		s.parted.LeaveOut(out)
		if s.try(&s.best) {
			s.out, parts = out, slices.Delete(parts, start, end)
		}
	}
	s.parted.LeaveOut(s.out)
	return parts
}

// plain has questions be answered by their first options, and steps be those that the default choice takes: all that
// are alike at once, or halves of them, and so on. It returns how much there was of a kind at most.
func (s *reducer) plain(pieces int) (most int) {
	most = s.inPieces(pieces, (*plan).outOfTurn, func(p *plan, steps []int) { p.inTurn = [2]int{steps[0], steps[len(steps)-1] + 1} })
	for _, kind := range s.kinds() {
		most = max(most, s.inPieces(pieces,
			func(p *plan) []int { return p.departures(s.follower.names, kind) },
			func(p *plan, places []int) { p.lower(places, 0) }))
	}
	return most
}

// half has questions of a kind be answered by options half of the way to the first.
func (s *reducer) half() {
	for _, kind := range s.kinds() {
		s.inPieces(1, func(p *plan) []int { return p.departures(s.follower.names, kind) }, func(p *plan, places []int) { p.lower(places, 1) })
	}
}

// deciding are the kinds of parts without which the run does not fail, none if there is no time to find out.
func (s *reducer) deciding() (all []Kind) {
	if s.parted == nil {
		return nil
	}
	defer func() { s.parted.LeaveOut(s.out) }()
	for _, k := range s.parted.Parts() {
		if s.ctx.Err() != nil {
			return nil
		}
		s.parted.LeaveOut(slices.Concat(s.out, k.Parts))
		if s.follower.begin(&s.best); s.runBest() == nil && !s.failsRedrawn() {
			all = append(all, k)
		}
	}
	return all
}

// failsRedrawn reports whether the run fails if what does not fit is drawn. What is left out may have all that comes
// later be something else, which passes by chance.
func (s *reducer) failsRedrawn() bool {
	r := redrawn{follower: s.follower, by: strategy.Random().New(strategy.Profile{})}
	for i := range Redraws {
		s.follower.begin(&s.best)
		r.by.Begin(uint64(i))
		r.all, r.departed = i%2 == 1, false
		if res := s.runner.Run(&r); res.Find(s.failure) != nil {
			return true
		}
	}
	return false
}

// Redraws is how often a run without a kind of parts has to pass until that kind is Deciding, beside the one with the
// same choices.
const Redraws = 10

// redrawn follows a plan, and draws the answers to what that does not say, or all from the first departure on.
type redrawn struct {
	*follower
	by            strategy.Chooser
	all, departed bool
}

func (c *redrawn) Pick(w *sim.World, enabled []sim.Action) int {
	if c.all && c.departed {
		return c.by.Pick(w, enabled)
	}
	followed := c.followed
	i := c.follower.Pick(w, enabled)
	c.departed = c.departed || c.followed == followed
	return i
}

func (c *redrawn) Choose(w *sim.World, n int, what string) int {
	if !c.all || !c.departed {
		followed := c.followed
		if v := c.follower.Choose(w, n, what); c.followed > followed {
			return v
		}
		c.departed = true
	}
	return c.by.Choose(w, n, what)
}

// inPieces takes away so many pieces of what there is, one after the other, and returns how much there was. What was
// taken away one by one before is not tried again.
func (s *reducer) inPieces(pieces int, list func(*plan) []int, take func(*plan, []int)) int {
	n := len(list(&s.best))
	if n == 0 || pieces > 1 && 2*n <= pieces {
		return n
	}
	size := (n + pieces - 1) / pieces
	for end := n; end > 0 && s.going(); {
		start := max(0, end-size)
		p := s.best.clone()
		take(&p, list(&p)[start:end])
		s.try(&p)
		end = min(start, len(list(&s.best)))
	}
	return n
}

// kinds are those of the questions that are not answered by their first options, in the order of their names.
func (s *reducer) kinds() (all []string) {
	for _, list := range s.best.lists() {
		for _, a := range list {
			if kind := s.follower.names.kind(a.question); a.value > 0 && !slices.Contains(all, kind) {
				all = append(all, kind)
			}
		}
	}
	slices.Sort(all)
	return all
}

// kind is the first word of a question, behind the name of the node: alike questions begin alike.
func (t *names) kind(question int32) string {
	_, of, _ := strings.Cut(strings.TrimPrefix(t.texts[question], choosePrefix), " ")
	kind, _, _ := strings.Cut(of, " ")
	return kind
}

// departures are the places, as counted through all lists, of the questions of a kind that are not answered by their
// first options.
func (p *plan) departures(t *names, kind string) (places []int) {
	at := 0
	for _, list := range p.lists() {
		for i := range list {
			if list[i].value > 0 && t.kind(list[i].question) == kind {
				places = append(places, at)
			}
			at++
		}
	}
	return places
}

// lower gives the questions at these places their first options, or with one half those half of the way there.
func (p *plan) lower(places []int, halves int32) {
	at := 0
	for _, list := range p.lists() {
		for i := range list {
			if len(places) > 0 && at == places[0] {
				list[i].value, places = list[i].value*halves/2, places[1:]
			}
			at++
		}
	}
}

// outOfTurn are the steps that the default choice does not take.
func (p *plan) outOfTurn() (steps []int) {
	for i := range p.steps {
		if p.steps[i].name != p.steps[i].byDefault {
			steps = append(steps, i)
		}
	}
	return steps
}
