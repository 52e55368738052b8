package traces

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim"
)

// Told is what came in order, and a digest of it.
type Told struct {
	Texts  []string
	Digest sim.Digest
}

// Add adds what came next.
func (t *Told) Add(text string) {
	t.Texts, t.Digest = append(slices.Clip(t.Texts), text), t.Digest.Text(text)
}

// Fingerprint mixes it into the fingerprint of a client, so that states are told apart by it.
func (t *Told) Fingerprint(d sim.Digest) sim.Digest { return d.Fold(t.Digest).Int(int64(len(t.Texts))) }

// Trace is all that the clients of a world were told, in order for each stream, and for the calls of each client. When it
// came, and what came on which of two streams before, is not part of it: the network may change both.
type Trace [][]string

// String is the trace in a line, by which it is told from others.
func (t Trace) String() string {
	var b strings.Builder
	for i, s := range t {
		if i > 0 && len(s) > 0 && b.Len() > 0 {
			b.WriteString(" | ")
		}
		b.WriteString(strings.Join(s, ", "))
	}
	return b.String()
}

// Begins reports whether a longer trace may begin with this one.
func (t Trace) Begins(longer Trace) bool {
	for i, s := range t {
		if len(s) > len(longer[i]) || !slices.Equal(s, longer[i][:len(s)]) {
			return false
		}
	}
	return true
}

// Once is how many traces only one schedule showed. Divided by the schedules it is about how likely the next one shows a new
// trace (Good 1953).
func Once(seen map[string]int) int {
	n := 0
	for _, times := range seen {
		if times == 1 {
			n++
		}
	}
	return n
}
