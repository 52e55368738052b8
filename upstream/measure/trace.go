package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim"
)

// told is what came on one stream, or in answer to the calls of one client, in order, and a digest of it.
type told struct {
	texts  []string
	digest sim.Digest
}

// add adds what came next.
func (t *told) add(text string) {
	t.texts, t.digest = append(slices.Clip(t.texts), text), t.digest.Text(text)
}

// fingerprint mixes it into the fingerprint of a client.
func (t *told) fingerprint(d sim.Digest) sim.Digest { return d.Fold(t.digest).Int(int64(len(t.texts))) }

// trace is all that the clients of a world were told, in order for each stream, and for the calls of each client. When
// it came, and what came on which of two streams before, is not part of it: the network may change both.
type trace [][]string

// String is the trace in a line, by which it is told from others.
func (t trace) String() string {
	var b strings.Builder
	for i, s := range t {
		if i > 0 && len(s) > 0 && b.Len() > 0 {
			b.WriteString(" | ")
		}
		b.WriteString(strings.Join(s, ", "))
	}
	return b.String()
}

// begins reports whether a longer trace may begin with this one.
func (t trace) begins(longer trace) bool {
	for i, s := range t {
		if len(s) > len(longer[i]) || !slices.Equal(s, longer[i][:len(s)]) {
			return false
		}
	}
	return true
}

// random chooses the steps of random schedules. In every second seed it is stubborn: threads have priorities (as in
// PCT, Burckhardt et al. 2010) that change now and then, and so have answers.
type random struct {
	*rand.Rand
	stubborn bool
	weights  map[string]int
}

func newRandom(seed int) *random {
	return &random{Rand: rand.New(rand.NewPCG(uint64(seed), 0)), stubborn: seed%2 == 1, weights: map[string]int{}}
}

// changes is how many choices there are, about, between two changes of a priority.
const changes = 12

// weight is the priority of what has this name.
func (r *random) weight(name string) int {
	of, known := r.weights[name]
	if !known || r.IntN(changes) == 0 {
		of = r.IntN(1 << 20)
		r.weights[name] = of
	}
	return of
}

// Pick implements sim.Chooser.
func (r *random) Pick(_ *sim.World, enabled []sim.Action) int {
	if !r.stubborn {
		return r.IntN(len(enabled))
	}
	best, most := 0, -1
	for i, a := range enabled {
		if of := r.weight(fmt.Sprint(a.Kind, a.Slot)); of > most {
			best, most = i, of
		}
	}
	return best
}

// Choose implements sim.Chooser.
func (r *random) Choose(_ *sim.World, n int, what string) int {
	if !r.stubborn {
		return r.IntN(n)
	}
	return r.weight(what) % n
}
