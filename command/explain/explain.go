// Package explain (unstable) says what a name means that a person meets in a list, a story or a
// replay file: a scenario, an option or a value of one, a known bug, a design of the cache, a
// release of etcd, a property, a strategy, a metric, a finding. It looks into the registries, so
// what another module registers is explained like ours.
//
//	lists.go     the kinds of names, and a list of each
//	explain.go   all explanations of one name: facts, each with a label; how they are printed; what speaks of a word
//	release.go   releases of etcd and Kubernetes, and for which of them something holds, in words
//	presets.go   scenarios and bugs; which releases, designs, bugs and scenarios set a value
//	kinds.go     properties, violations, strategies, metrics, findings, designs, options and their values
//
// The package must never import package command, or read flags.
package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/report"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/testbed"
)

// Name explains a name: one explanation for each kind of thing that has it, none if
// nothing has it. The error is about NAME=VALUE with a value that the option does not
// take, and is one line. What can be typed begins with the name of the program.
func Name(program, name string) ([]Explanation, error) {
	if err := checkSetting(name); err != nil {
		return nil, err
	}
	var all []Explanation
	if name == "" {
		// A known bug without an issue has an empty one.
		return nil, nil
	}
	for _, k := range kinds {
		all = append(all, k.explain(program, name)...)
	}
	return all, nil
}

// Unknown is the error for a name that nothing has. It names the nearest ones, of
// which others are names for the caller.
func Unknown(program, name string, others ...string) error {
	if strings.Contains(name, "@") {
		return compiled(name)
	}
	for _, k := range kinds {
		for _, e := range k.entries() {
			others = append(others, e.Name)
		}
	}
	return fmt.Errorf("nothing is called %q%s", name, meant(program, registry.Nearest(name, others)))
}

// compiled is the error for the name of compiled code that is not there.
func compiled(name string) error {
	if strings.HasPrefix(name, "etcd@") || strings.HasPrefix(name, "cluster@") {
		_, err := testbed.FindProgram(name)
		return err
	}
	_, err := cache.FindDesign(name)
	return err
}

// Misnamed says of a name that was given for one kind of thing of which kind it is
// instead, empty if nothing has it.
func Misnamed(name string) string {
	all, err := Name("", name)
	if err != nil || len(all) == 0 {
		return ""
	}
	var found []string
	for _, e := range all {
		if what := article(e.Kind); !slices.Contains(found, what) {
			found = append(found, what)
		}
	}
	return strings.Join(found, " and ")
}

func article(kind string) string {
	if strings.ContainsRune("aeiou", rune(kind[0])) {
		return "an " + kind
	}
	return "a " + kind
}

// meant is the end of an error's line.
func meant(program string, nearest []string) string {
	if len(nearest) == 0 {
		return "; `" + program + " list` has all names"
	}
	quoted := make([]string, len(nearest))
	for i, n := range nearest {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	if last := len(quoted) - 1; last > 0 {
		return "; did you mean " + strings.Join(quoted[:last], ", ") + " or " + quoted[last] + "?"
	}
	return "; did you mean " + quoted[0] + "?"
}

// Explanation says what a name means as one kind of thing.
type Explanation struct {
	// Kind is "scenario", "option", "value", "known bug", "cache design",
	// "etcd release", "property", "violation", "strategy", "metric", "finding" or
	// "options of".
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Summary is one line, Doc is more about it; empty if there is no more.
	Summary string `json:"summary"`
	Doc     string `json:"doc,omitempty"`
	Facts   []Fact `json:"facts"`
	// Scenario has a scenario's facts with a field for each.
	Scenario *Scenario `json:"-"`
}

// Fact is something about a name: a label, and what is to be said.
type Fact struct {
	Label string `json:"label"`
	Items []Item `json:"items"`
	// below: the lines of an item begin below its name, however short that is.
	below bool
}

// Item is a paragraph, or several, of a fact. Name is what they are about; empty if
// it is the name that is explained.
type Item struct {
	Name  string   `json:"name,omitempty"`
	Lines []string `json:"lines"`
}

// say adds a fact of one paragraph, unless there is nothing to say.
func (e *Explanation) say(label, text string) {
	if text != "" {
		e.Facts = append(e.Facts, Fact{Label: label, Items: []Item{{Lines: []string{text}}}})
	}
}

// list adds a fact of several items, unless there are none.
func (e *Explanation) list(label string, items []Item) {
	if len(items) > 0 {
		e.Facts = append(e.Facts, Fact{Label: label, Items: items})
	}
}

// listBelow is list for items of which each is a text of its own.
func (e *Explanation) listBelow(label string, items []Item) {
	e.list(label, items)
	if len(items) > 0 {
		e.Facts[len(e.Facts)-1].below = true
	}
}

// column is the longest name beside which texts are printed. If a name is longer, all
// texts begin below their names.
const column = 30

// WriteText prints explanations of one name, one after the other.
func WriteText(w io.Writer, o report.Terminal, all []Explanation) error {
	p := &report.Page{To: o}
	for i := range all {
		if i > 0 {
			p.WriteString("\n")
		}
		all[i].text(p)
	}
	return p.End(w)
}

func (e *Explanation) text(p *report.Page) {
	p.Line(0, "<%s %s: %s", e.Kind, e.Name, e.Summary)
	if e.Doc != "" {
		p.WriteString("\n")
		for paragraph := range strings.SplitSeq(e.Doc, "\n\n") {
			p.Line(0, "<%s", strings.Join(strings.Fields(paragraph), " "))
		}
	}
	if len(e.Facts) > 0 {
		p.WriteString("\n")
	}
	for i, f := range e.Facts {
		if i > 0 && (f.isList() || e.Facts[i-1].isList()) {
			p.WriteString("\n")
		}
		f.text(p)
	}
}

// isList: the fact has lines of its own below its label.
func (f *Fact) isList() bool {
	return len(f.Items) > 1 || f.Items[0].Name != "" || len(f.Items[0].Lines) > 1
}

// text prints each name with its lines, beside it or below it.
func (f *Fact) text(p *report.Page) {
	if !f.isList() {
		text := p.To.Wrap(f.Items[0].Lines[0], utf8.RuneCountInString(f.Label)+2)
		p.Copied(0, f.Label+": "+strings.ReplaceAll(text, "\n", "\n|"))
		return
	}
	p.Line(0, "%s:", f.Label)
	beside := !f.below
	for _, item := range f.Items {
		beside = beside && utf8.RuneCountInString(item.Name) <= column
	}
	for _, item := range f.Items {
		name := "  " + item.Name
		if item.Name != "" && (!beside || len(item.Lines) == 0) {
			p.Line(0, "%s", name)
		}
		for _, line := range item.Lines {
			switch {
			case item.Name == "":
				p.Line(2, "<%s", line)
			case beside:
				p.Row(name, line)
				name = ""
			default:
				p.Line(4, "%s", line)
			}
		}
	}
}

// leastWord is how long a word must be: shorter ones are in every text.
const leastWord = 3

// Mentions lists what speaks of a word, or of the number of an issue, but for what is explained: each with the first
// sentence that has the word. It is for words that are no names.
func Mentions(word string, explained []Explanation) (all []List) {
	word = strings.TrimPrefix(strings.Join(strings.Fields(word), " "), "#")
	if utf8.RuneCountInString(word) < leastWord {
		return nil
	}
	for _, list := range Lists(ListNames...) {
		found := List{Name: list.Name}
		for _, e := range list.Entries {
			for _, x := range append([]Entry{e}, e.values...) {
				sentence := x.mention(word)
				if sentence != "" && !slices.ContainsFunc(explained, func(e Explanation) bool {
					return e.Name == x.Name && (e.Kind == singular[list.Name] || e.Kind == "value")
				}) {
					found.Entries = append(found.Entries, Entry{Name: x.Name, About: sentence})
				}
			}
		}
		if len(found.Entries) > 0 {
			all = append(all, found)
		}
	}
	return all
}

// mention is the first sentence that has a word. If only the name has it, that is what the thing is about.
func (e *Entry) mention(word string) string {
	for _, text := range e.texts {
		for _, sentence := range sentences(text) {
			if has(sentence, word) {
				return strings.TrimSpace(sentence)
			}
		}
	}
	if len(e.texts) > 0 && has(e.Name, word) {
		return strings.TrimSpace(sentences(e.texts[0])[0])
	}
	return ""
}

// Issue is the number of an issue in its address, or behind a name: that of .../issues/15220, etcd#15220 or "etcd
// 15220". It is empty for anything else, and for a number alone.
func Issue(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '#' || r == ' ' })
	if len(words) < 2 || !IsNumber(words[len(words)-1]) {
		return ""
	}
	return words[len(words)-1]
}

// IsNumber reports whether a name is the number of an issue, of which more things than the one that is named after it
// may speak.
func IsNumber(name string) bool {
	number := strings.TrimPrefix(name, "#")
	return number != "" && strings.Trim(number, "0123456789") == ""
}

// sentences are those of a text, without its line breaks.
func sentences(text string) []string {
	return strings.SplitAfter(strings.Join(strings.Fields(text), " "), ". ")
}

// has reports whether a text has a word, or its plural, and not only as a part of another one.
func has(text, word string) bool {
	text, word = strings.ToLower(text), strings.ToLower(word)
	// "progres" is no singular.
	plural := !strings.HasSuffix(word, "s")
	for last := ' '; ; {
		before, after, found := strings.Cut(text, word)
		if !found {
			return false
		}
		if before != "" {
			last, _ = utf8.DecodeLastRuneInString(before)
		}
		if !inWord(last) && (ends(after) || plural && ends(strings.TrimPrefix(after, "s"))) {
			return true
		}
		text = after
		last, _ = utf8.DecodeLastRuneInString(word)
	}
}

func ends(rest string) bool {
	first, _ := utf8.DecodeRuneInString(rest)
	return !inWord(first)
}

func inWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
