package explain

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/watchbed/watchbed/report"
)

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
