package recording

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

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
