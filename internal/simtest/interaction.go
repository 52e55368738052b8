// Run plays the interaction tests of nodes: files of testdata/interactions, read by
// github.com/cockroachdb/datadriven. `go test ./PACKAGE -run Interactions -rewrite` writes what comes out.
//
//	new 3.5.12 3.5.13 chan-buf=(1,2)    worlds, of each release and of each value of an option
//	put /a 1                            what is done, a line each, in all of them
//	step takes watchStream; sends       steps by their names, or by a part that no other has
//	----
//	[3.5.12]                            what comes of it. Worlds in which it is the same share it
//	event /a=1@2
//	[3.5.13]
//	(nothing)
//
//	do                                  goes on with the same worlds
//	settle but applyLoop                all steps but timers, faults, and those with a text in their name
//	----
//
// A package adds verbs of its own to those of Bench. It is for tests.
package simtest

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// Bench is a world whose steps the text names.
type Bench struct {
	testing.TB
	World *sim.World
	// Verbs are those of the package. A verb is given the rest of its line.
	Verbs map[string]func(rest string)
	// Choices answers the choices inside steps, 0 when used up.
	Choices []int
	// CoveragePoints come out when they come about: those with one of the prefixes.
	CoveragePoints []string
	// Before, if it is there, is called before each step.
	Before func(sim.Action)

	name string
	said []string
}

func (b *Bench) Pick(*sim.World, []sim.Action) int { panic("the text picks") }

func (b *Bench) Choose(_ *sim.World, n int, _ string) int {
	if len(b.Choices) == 0 {
		return 0
	}
	c := b.Choices[0]
	b.Choices = b.Choices[1:]
	return c % n
}

// Say adds a line to what comes out.
func (b *Bench) Say(format string, args ...any) {
	b.said = append(b.said, strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

// Act does what is enabled and named so, or the only thing whose name contains the text.
func (b *Bench) Act(text string) {
	b.Helper()
	var found []sim.Action
	for _, a := range b.World.Enabled() {
		if n := b.World.Name(a); n == text {
			found = []sim.Action{a}
			break
		} else if strings.Contains(n, text) {
			found = append(found, a)
		}
	}
	if len(found) != 1 {
		b.Fatalf("%s: %d steps are named %q, of %q", b.name, len(found), text, b.enabled(""))
	}
	b.do(found[0])
}

func (b *Bench) do(a sim.Action) {
	if b.Before != nil {
		b.Before(a)
	}
	b.World.Do(b, a)
}

// enabled are the names of what can happen, but for faults and what the text itself plays.
func (b *Bench) enabled(text string) (names []string) {
	for _, a := range b.World.Enabled() {
		if n := b.World.Name(a); a.Kind != sim.Inject && !strings.HasSuffix(n, " act") && strings.Contains(n, text) {
			names = append(names, n)
		}
	}
	return names
}

// Settle does all that can happen, but for timers, faults, what the text plays, and steps with one of the
// texts in their names.
func (b *Bench) Settle(but ...string) {
	for range 10_000 {
		enabled := b.World.Enabled()
		at := slices.IndexFunc(enabled, func(a sim.Action) bool {
			name := b.World.Name(a)
			return a.Kind != sim.Fire && a.Kind != sim.Inject && !strings.HasSuffix(name, " act") &&
				!slices.ContainsFunc(but, func(x string) bool { return strings.Contains(name, x) })
		})
		if at < 0 {
			return
		}
		b.do(enabled[at])
	}
	b.Fatalf("%s: no end", b.name)
}

// play carries out a line.
func (b *Bench) play(line string) {
	b.Helper()
	verb, rest, _ := strings.Cut(line, " ")
	switch f := b.Verbs[verb]; {
	case f != nil:
		f(rest)
	case verb == "step":
		for _, text := range strings.Split(rest, "; ") {
			b.Act(text)
		}
	case verb == "settle":
		_, but, _ := strings.Cut(rest, "but ")
		b.Settle(list(but)...)
	case verb == "choose":
		for _, n := range strings.Fields(rest) {
			b.Choices = append(b.Choices, b.Number(n))
		}
	case verb == "enabled":
		for _, name := range b.enabled(rest) {
			b.Say("can %s", name)
		}
	case verb == "repeat":
		n, again, _ := strings.Cut(rest, " ")
		for range b.Number(n) {
			for _, line := range strings.Split(again, "; ") {
				b.play(line)
			}
		}
	default:
		b.Fatalf("no verb %q", verb)
	}
}

func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "; ")
}

// Number reads a number of the text.
func (b *Bench) Number(text string) int {
	b.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// Set sets fields of a message: each word is a field that is a bool, or field=value.
func (b *Bench) Set(message any, words ...string) {
	b.Helper()
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		switch f := reflect.ValueOf(message).Elem().FieldByName(name); f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		case reflect.String:
			text, err := strconv.Unquote(`"` + value + `"`)
			if err != nil {
				b.Fatal(err)
			}
			f.SetString(text)
		case reflect.Uint8:
			f.SetUint(uint64(b.Number(value)))
		case reflect.Int, reflect.Int64:
			f.SetInt(int64(b.Number(value)))
		default:
			b.Fatalf("%T has no field %q", message, name)
		}
	}
}

// take returns what came out since the last time, with the coverage points that came about.
func (b *Bench) take(lines []string) string {
	b.Helper()
	all, before := sim.CoveragePoints(), make([]uint64, len(sim.CoveragePoints()))
	for i, s := range all {
		before[i] = b.World.Count(s)
	}
	for _, line := range lines {
		b.play(line)
	}
	for i, s := range all {
		for _, prefix := range b.CoveragePoints {
			if n := b.World.Count(s) - before[i]; n > 0 && strings.HasPrefix(s.String(), prefix) {
				b.Say("# %s%s", s, map[bool]string{true: fmt.Sprintf(" (%d)", n)}[n > 1])
			}
		}
	}
	text := strings.Join(b.said, "\n")
	b.said = nil
	return text
}

// Run plays the files. Begin makes the world of a release with the settings, and starts it.
func Run(t *testing.T, begin func(t *testing.T, release string, settings []option.Setting) *Bench) {
	datadriven.Walk(t, "testdata/interactions", func(t *testing.T, path string) {
		var worlds []*Bench
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch {
			case d.Cmd == "new":
				worlds = nil
				for _, v := range variants(d.CmdArgs) {
					b := begin(t, v.release, v.settings)
					b.name = v.name
					worlds = append(worlds, b)
				}
			case d.Cmd != "do" || worlds == nil:
				d.Fatalf(t, "%q instead of new or do", d.Cmd)
			}
			var lines []string
			if d.Input != "" {
				lines = strings.Split(d.Input, "\n")
			}
			var texts []string
			names := map[string][]string{}
			for _, b := range worlds {
				b.TB = t
				text := b.take(lines)
				if names[text] == nil {
					texts = append(texts, text)
				}
				names[text] = append(names[text], b.name)
			}
			if len(texts) == 1 {
				return texts[0]
			}
			out := ""
			for _, text := range texts {
				if text == "" {
					text = "(nothing)"
				}
				out += fmt.Sprintf("[%s]\n%s\n", strings.Join(names[text], ", "), text)
			}
			return out
		})
	})
}

type variant struct {
	name, release string
	settings      []option.Setting
}

// variants are the worlds of a directive: of each release, and of each value of the options that have several.
func variants(args []datadriven.CmdArg) (all []variant) {
	for _, a := range args {
		if len(a.Vals) == 0 {
			all = append(all, variant{name: a.Key, release: a.Key})
		}
	}
	for _, a := range args {
		var more []variant
		for _, v := range all {
			for _, value := range a.Vals {
				w := variant{v.name, v.release, append(slices.Clone(v.settings), option.Setting{Name: a.Key, Value: value})}
				if len(a.Vals) > 1 {
					w.name += " " + a.Key + "=" + value
				}
				more = append(more, w)
			}
		}
		if len(a.Vals) > 0 {
			all = more
		}
	}
	return all
}
