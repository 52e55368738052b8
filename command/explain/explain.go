package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"
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
