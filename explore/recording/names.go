package recording

import "github.com/watchbed/watchbed/sim"

// names numbers the names of actions and questions, so that thousands of runs
// can be compared by name without rendering each name in each of them. One
// table serves many runs of one runner.
type names struct {
	// coarse names leave out running numbers: see coarsen.
	coarse  bool
	numbers map[string]int32
	texts   []string
	// twinOf is the number of the name that a twin shares, by number.
	twinOf map[int32]int32
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

func newNames() *names { return &names{numbers: map[string]int32{}, twinOf: map[int32]int32{}} }

// begin starts a run.
func (t *names) begin() { clear(t.pending) }

func (t *names) number(name []byte) int32 {
	if n, ok := t.numbers[string(name)]; ok {
		return n
	}
	n := int32(len(t.texts))
	text := string(name)
	t.numbers[text] = n
	t.texts = append(t.texts, text)
	t.lastPick = append(t.lastPick, 0)
	return n
}

// ofActions returns the numbers of the enabled actions, no two of them equal. The
// slice is valid until the next call.
func (t *names) ofActions(w *sim.World, enabled []sim.Action) []int32 {
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
			if t.coarse {
				t.buf = coarsen(t.buf)
			}
			*e = namedEvent{t.number(t.buf), a.Since + 1}
		}
		number := e.number
		if t.lastPick[number] == t.pick {
			number = t.ofTwin(w, enabled, i, number)
		}
		t.lastPick[number] = t.pick
		t.enabled = append(t.enabled, number)
	}
	return t.enabled
}

// ofTwin is for a name that another enabled action has too.
func (t *names) ofTwin(w *sim.World, enabled []sim.Action, i int, number int32) int32 {
	if !t.coarse {
		return t.number([]byte(actionName(w, enabled, i)))
	}
	n := 1
	for _, other := range t.enabled {
		if other == number || t.twinOf[other] == number {
			n++
		}
	}
	twin := t.number([]byte(twinName(t.texts[number], n)))
	t.twinOf[twin] = number
	return twin
}

// ofQuestion returns the number of a question.
func (t *names) ofQuestion(w *sim.World, what string) int32 {
	t.buf = appendQuestion(t.buf[:0], w, what)
	return t.number(t.buf)
}

// coarsen takes the numbers of operations, messages, streams and revisions out
// of a name, in place, and leaves those of nodes: "deliver b>a b/put.3#1" is then
// "deliver b>a b/put". When a step is taken out of a run, the numbers in the names
// of later steps change, although the steps mean the same as before.
func coarsen(name []byte) []byte {
	out := name[:0]
	for i := 0; i < len(name); i++ {
		c := name[i]
		beforeNumber := c == '.' || c == '#' || c == ' ' || c == '='
		if !beforeNumber || i+1 == len(name) || name[i+1] < '0' || name[i+1] > '9' {
			out = append(out, c)
			continue
		}
		for i+1 < len(name) && name[i+1] >= '0' && name[i+1] <= '9' {
			i++
		}
	}
	return out
}
