package recording

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// choice is one entry of a recording, parsed. Written down it is the name of
// the action that was picked, "deliver a>b a/put.1#0", or the answer to a question
// inside a step: "choose b jitter=3/5", the fourth of five options. If several
// enabled actions have the same name, the second and later ones get their place
// among them: "run b loop ~2".
type choice struct {
	// name is the action's, or "choose b jitter".
	name           string
	value, options int // options is 0 for an action
}

// Answer is the answer to a question inside a step: the value, counted from 0 on, of so many options.
type Answer struct {
	Node, What     string
	Value, Options int
}

// AnswerOf reads a choice of a recording; it reports false for an action.
func AnswerOf(text string) (Answer, bool) {
	c, err := parseChoice(text)
	if err != nil || !c.isAnswer() {
		return Answer{}, false
	}
	node, what, _ := strings.Cut(strings.TrimPrefix(c.name, choosePrefix), " ")
	return Answer{node, what, c.value, c.options}, true
}

const choosePrefix = "choose "

func (c *choice) isAnswer() bool { return c.options > 0 }

func (c *choice) String() string {
	if !c.isAnswer() {
		return c.name
	}
	return c.name + "=" + strconv.Itoa(c.value) + "/" + strconv.Itoa(c.options)
}

// appendQuestion appends the name of a question: the acting node and the
// question's own name.
func appendQuestion(b []byte, w *sim.World, what string) []byte {
	b = append(b, choosePrefix...)
	b = append(append(b, w.NodeName(w.Acting())...), ' ')
	return append(b, what...)
}

// actionName is the name of an enabled action that no other enabled action has.
func actionName(w *sim.World, enabled []sim.Action, i int) string {
	name := w.Name(enabled[i])
	n := 1
	for _, a := range enabled[:i] {
		if w.Name(a) == name {
			n++
		}
	}
	if n > 1 {
		return twinName(name, n)
	}
	return name
}

// twinName is the name of the n-th enabled action of this name, n >= 2.
func twinName(name string, n int) string { return name + " ~" + strconv.Itoa(n) }

const (
	maxNameBytes = 1000
	maxOptions   = 1 << 20
)

var (
	errEmpty    = errors.New("it is empty")
	errNotText  = errors.New("it is not plain text")
	errNoAction = errors.New("it does not begin with deliver, fire, run, inject or choose")
)

func parseChoices(texts []string) ([]choice, error) {
	choices := make([]choice, len(texts))
	for i, text := range texts {
		c, err := parseChoice(text)
		if err != nil {
			return nil, fmt.Errorf("choice %d: %w", i+1, err)
		}
		choices[i] = c
	}
	return choices, nil
}

func parseChoice(s string) (choice, error) {
	if err := checkText(s); err != nil {
		return choice{}, err
	}
	verb, _, _ := strings.Cut(s, " ")
	switch verb + " " {
	case "deliver ", "fire ", "run ", "inject ":
		return choice{name: s}, nil
	case choosePrefix:
	default:
		return choice{}, errNoAction
	}
	eq := strings.LastIndexByte(s, '=')
	if eq < 0 {
		return choice{}, fmt.Errorf("%q lacks an answer such as =0/2", s)
	}
	value, options, ok := strings.Cut(s[eq+1:], "/")
	v, err1 := strconv.Atoi(value)
	n, err2 := strconv.Atoi(options)
	if !ok || err1 != nil || err2 != nil || n < 2 || n > maxOptions || v < 0 || v >= n {
		return choice{}, fmt.Errorf("%q is not an answer such as =0/2", s[eq:])
	}
	return choice{name: s[:eq], value: v, options: n}, nil
}

// checkText admits what can be printed on one line.
func checkText(s string) error { return checkTextUpTo(s, maxNameBytes) }

func checkTextUpTo(s string, most int) error {
	switch {
	case s == "":
		return errEmpty
	case len(s) > most:
		return fmt.Errorf("it is longer than %d bytes", most)
	case !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl):
		return errNotText
	}
	return nil
}

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
