package races

import (
	"cmp"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// Verdict is what a search has found.
type Verdict uint8

// The verdicts. Unknown is the zero value: no trial has come to an end.
const (
	Unknown Verdict = iota
	Reached
	Unreachable
)

func (v Verdict) String() string {
	switch v {
	case Reached:
		return "reached"
	case Unreachable:
		return "unreachable"
	}
	return "unknown"
}

// Result is what a search has found, and what it took.
type Result struct {
	Verdict Verdict
	// States is how many were entered.
	States int
	// Furthest is where the schedule ended that matched most moments, if none matched
	// all of them; nil if it did not end with a wrong answer.
	Furthest *Contradiction
	// At is the number of moments that it matched.
	At int
}

// Contradiction is an answer that is not in the recording.
type Contradiction struct {
	// At is the number of moments that had come.
	At     int
	Client int
	Sent   sim.Payload
	// Recorded is what the client was sent in the recording, nil if nothing more.
	Recorded sim.Payload
}

// trials is how many searches begin, each with an order of its own, before one goes on
// to the end. A search that took a wrong turn early goes through all that follows from
// it, and most schedules can be found soon in some order. Each trial may enter one state
// in trialShare.
const (
	trials     = 16
	trialShare = 64
)

// Search looks for a schedule of a world that has been started, and in which nothing
// has happened yet, that gives what was recorded. It enters at most as many states as
// given, some more than once, each of which takes a few words of memory. The world is
// not changed. The error names a node that cannot be cloned or has no fingerprint.
func Search(w *sim.World, r *Recording, states int) (Result, error) {
	s := &search{recording: r, answers: make([][]answer, len(r.Clients))}
	for i := range r.Moments {
		if m := &r.Moments[i]; !m.Sent {
			s.answers[m.Client] = append(s.answers[m.Client], answer{m.Payload, sum(m.Payload)})
		}
	}
	var result Result
	for s.trial = range trials + 1 {
		s.states = states / trialShare
		if s.trial == trials {
			s.states = states - result.States
		}
		s.seen, s.spent = map[uint64]struct{}{}, false
		verdict, err := s.from(w)
		if err != nil {
			return Result{}, err
		}
		result = Result{Verdict: verdict, States: result.States + len(s.seen), Furthest: s.furthest, At: s.at}
		if verdict != Unknown {
			break
		}
	}
	return result, nil
}

// from is one trial.
func (s *search) from(w *sim.World) (Verdict, error) {
	clients := len(s.recording.Clients)
	first := &branch{world: w, taken: make([]int, clients), read: make([]int, clients), streams: make([]sim.Conn, clients)}
	b, err := first.clone()
	if err != nil {
		return Unknown, err
	}
	reached := s.explore(b)
	switch {
	case s.err != nil:
		return Unknown, s.err
	case reached:
		return Reached, nil
	case s.spent:
		return Unknown, nil
	}
	return Unreachable, nil
}

// search is one search.
type search struct {
	recording *Recording
	// answers are, by client, what it was sent.
	answers [][]answer
	// trial numbers the orders in which actions are tried.
	trial  int
	states int
	seen   map[uint64]struct{}
	spent  bool
	err    error

	at       int
	furthest *Contradiction
}

type answer struct {
	payload sim.Payload
	sum     sim.Digest
}

func sum(p sim.Payload) sim.Digest { return p.Digest(sim.NewDigest) }

// explore goes through all schedules from a state on until one gives what was recorded.
func (s *search) explore(b *branch) bool {
	wrong := s.settle(b)
	if b.at > s.at || s.furthest == nil && wrong != nil {
		s.at, s.furthest = b.at, wrong
	}
	if wrong != nil || s.recording.Hopeless != nil && s.recording.Hopeless(b.world, b.taken) {
		return false
	}
	enabled := s.recordedActions(b.world)
	if b.at == len(s.recording.Moments) && (!s.recording.AtRest || len(enabled) == 0) {
		return true
	}
	key, err := b.key()
	if err != nil {
		s.err = err
		return false
	}
	if _, again := s.seen[key]; again {
		return false
	}
	if len(s.seen) == s.states {
		s.spent = true
		return false
	}
	s.seen[key] = struct{}{}
	s.order(enabled, key)
	for _, a := range enabled {
		if s.exploreAction(b, a) {
			return true
		}
		if s.spent || s.err != nil {
			return false
		}
	}
	return false
}

// recordedActions are what can happen. A recording has no faults.
func (s *search) recordedActions(w *sim.World) []sim.Action {
	return slices.DeleteFunc(slices.Clone(w.Enabled()), func(a sim.Action) bool { return a.Kind == sim.Inject })
}

// order sorts actions: in the first trial what has become possible last comes last, in
// the second first, and then the state and the trial decide.
func (s *search) order(actions []sim.Action, key uint64) {
	rank := func(a sim.Action) uint64 {
		switch s.trial {
		case 0:
			return uint64(a.Since)
		case 1:
			return ^uint64(a.Since)
		}
		return sim.NewDigest.Word(key).Int(int64(s.trial)).Int(int64(a.Slot)).Sum()
	}
	slices.SortStableFunc(actions, func(a, b sim.Action) int { return cmp.Compare(rank(a), rank(b)) })
}

// exploreAction goes on with one action, with every combination of answers to the
// questions that it asks.
func (s *search) exploreAction(b *branch, a sim.Action) bool {
	var given explore.Combination
	for more := true; more; more = given.Next() {
		c, err := b.clone()
		if err != nil {
			s.err = err
			return false
		}
		c.world.Do(&given, a)
		if s.explore(c) {
			return true
		}
		if s.spent || s.err != nil {
			return false
		}
	}
	return false
}
