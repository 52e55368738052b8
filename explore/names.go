package explore

import "github.com/watchbed/watchbed/sim"

// names numbers the names of actions and questions, so that thousands of runs
// can be compared by name without rendering each name in each of them. One
// table serves many runs of one runner.
type names struct {
	numbers map[string]int32
	texts   []string
	// pending is, by slot, the number of the event that was last seen there.
	pending []namedEvent
	// lastPick is, by number, when a name was last seen among the enabled ones.
	lastPick []uint32
	pick     uint32
	enabled  []int32
	buf      []byte
}

type namedEvent struct {
	number int32
	// since is when the event became possible, plus 1; 0 if there is none.
	since uint32
}

func newNames() *names { return &names{numbers: map[string]int32{}} }

// begin starts a run.
func (t *names) begin() { clear(t.pending) }

// number of a name that is in t.buf.
func (t *names) numberOf(b []byte) int32 {
	if n, ok := t.numbers[string(b)]; ok {
		return n
	}
	n := int32(len(t.texts))
	text := string(b)
	t.numbers[text] = n
	t.texts = append(t.texts, text)
	t.lastPick = append(t.lastPick, 0)
	return n
}

// of returns the numbers of the enabled actions, each once. The slice is valid
// until the next call.
func (t *names) of(w *sim.World, enabled []sim.Action) []int32 {
	t.pick++
	t.enabled = t.enabled[:0]
	for i := range enabled {
		a := &enabled[i]
		for int(a.Slot) >= len(t.pending) {
			t.pending = append(t.pending, namedEvent{})
		}
		e := &t.pending[a.Slot]
		if e.since != a.Since+1 {
			t.buf = w.AppendName(t.buf[:0], *a)
			*e = namedEvent{t.numberOf(t.buf), a.Since + 1}
		}
		number := e.number
		if t.lastPick[number] == t.pick {
			number = t.numberOf([]byte(nameAmong(w, enabled, i)))
		}
		t.lastPick[number] = t.pick
		t.enabled = append(t.enabled, number)
	}
	return t.enabled
}

// question returns the number of a question.
func (t *names) question(w *sim.World, what string) int32 {
	t.buf = question(t.buf[:0], w, what)
	return t.numberOf(t.buf)
}
