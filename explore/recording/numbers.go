package recording

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// Numbers are the choices of a recording without their names: of each its place among the enabled actions, or the
// answer, and four bits of the name. They are a tenth of the size, and fit the program alone that made them; another
// one finds out by the names, or by the trace hash. The format is
//
//	n      the number of choices, as a uvarint
//	place  n uvarints
//	bits   (n+1)/2 bytes, the first choice of two in the lower half
//
// The error is that of Replay.
func Numbers(r *explore.Runner, rec *Recording) ([]byte, error) {
	s, err := newStrict(rec.Choices)
	if err != nil {
		return nil, err
	}
	c := &numbering{strict: s}
	if err := s.replayed(r.Run(c), rec); err != nil {
		return nil, err
	}
	b := binary.AppendUvarint(nil, uint64(len(c.places)))
	for _, place := range c.places {
		b = binary.AppendUvarint(b, uint64(place))
	}
	bits := make([]byte, (len(c.places)+1)/2)
	for i, name := range rec.Choices {
		bits[i/2] |= nameBits(name) << (4 * (i % 2))
	}
	return append(b, bits...), nil
}

// nameBits are four bits of a name's hash.
func nameBits(name string) byte {
	h := fnv.New32a()
	h.Write([]byte(name))
	return byte(h.Sum32()>>12) & 15
}

// numbering is a chooser that keeps the places of what another one chooses.
type numbering struct {
	*strict
	places []int
}

func (c *numbering) Pick(w *sim.World, enabled []sim.Action) int {
	i := c.strict.Pick(w, enabled)
	if i >= 0 {
		c.places = append(c.places, i)
	}
	return i
}

func (c *numbering) Choose(w *sim.World, n int, what string) int {
	v := c.strict.Choose(w, n, what)
	c.places = append(c.places, v)
	return v
}

// FromNumbers carries out a run that Numbers has written down, and records it. Tool, Scenario, Parameters, Strategy and
// Seed are left to the caller. The error names the choice at which the run of this program takes another course.
func FromNumbers(r *explore.Runner, numbers []byte, hash explore.Hash) (*Recording, explore.Result, error) {
	n, size := binary.Uvarint(numbers)
	if size <= 0 || n > uint64(len(numbers)) {
		return nil, explore.Result{}, errNumbers
	}
	c := &numbered{places: make([]int, n)}
	numbers = numbers[size:]
	for i := range c.places {
		place, size := binary.Uvarint(numbers)
		if size <= 0 || place >= maxOptions {
			return nil, explore.Result{}, errNumbers
		}
		c.places[i], numbers = int(place), numbers[size:]
	}
	if c.bits = numbers; len(c.bits) != int(n+1)/2 {
		return nil, explore.Result{}, errNumbers
	}
	rec, res := Record(r, c)
	switch {
	case c.wrong > 0:
		return nil, res, fmt.Errorf("choice %d of %d is another one in this program", c.wrong, n)
	case c.used < len(c.places):
		return nil, res, fmt.Errorf("the run is over behind choice %d of %d in this program", c.used, n)
	case res.TraceHash != hash:
		return nil, res, &TraceMismatch{hash, res.TraceHash}
	}
	return rec, res, nil
}

var errNumbers = errors.New("the choices are cut off, or were changed")

// numbered is a chooser that takes the choices by their numbers. Wrong is the first one that does not fit, from 1 on.
type numbered struct {
	places []int
	bits   []byte
	used   int
	wrong  int
}

// next is the next choice of so many, -1 if there is none.
func (c *numbered) next(options int, name func(int) string) int {
	if c.wrong > 0 || c.used == len(c.places) {
		return -1
	}
	place := c.places[c.used]
	if c.used++; place >= options || nameBits(name(place)) != c.bits[(c.used-1)/2]>>(4*((c.used-1)%2))&15 {
		c.wrong = c.used
		return -1
	}
	return place
}

func (c *numbered) Pick(w *sim.World, enabled []sim.Action) int {
	return c.next(len(enabled), func(i int) string { return actionName(w, enabled, i) })
}

func (c *numbered) Choose(w *sim.World, n int, what string) int {
	v := c.next(n, func(i int) string {
		a := choice{string(appendQuestion(nil, w, what)), i, n}
		return a.String()
	})
	if v < 0 && c.wrong == 0 {
		// A question behind the last choice.
		c.wrong = c.used + 1
	}
	return max(v, 0)
}
