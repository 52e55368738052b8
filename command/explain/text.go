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
	var b strings.Builder
	for i := range all {
		if i > 0 {
			b.WriteString("\n")
		}
		all[i].text(&b, o)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (e *Explanation) text(b *strings.Builder, o report.Terminal) {
	b.WriteString(o.Wrap(e.Kind+" "+e.Name+": "+e.Summary, 0) + "\n")
	if e.Doc != "" {
		b.WriteString("\n")
		for paragraph := range strings.SplitSeq(e.Doc, "\n\n") {
			b.WriteString(o.Wrap(paragraph, 0) + "\n")
		}
	}
	if len(e.Facts) > 0 {
		b.WriteString("\n")
	}
	for i, f := range e.Facts {
		if i > 0 && (f.isList() || e.Facts[i-1].isList()) {
			b.WriteString("\n")
		}
		f.text(b, o)
	}
}

// isList: the fact has lines of its own below its label.
func (f *Fact) isList() bool {
	return len(f.Items) > 1 || f.Items[0].Name != "" || len(f.Items[0].Lines) > 1
}

func (f *Fact) text(b *strings.Builder, o report.Terminal) {
	if !f.isList() {
		b.WriteString(f.Label + ": " + o.Wrap(f.Items[0].Lines[0], utf8.RuneCountInString(f.Label)+2) + "\n")
		return
	}
	b.WriteString(f.Label + ":\n")
	longest := 0
	for _, item := range f.Items {
		longest = max(longest, utf8.RuneCountInString(item.Name))
	}
	for _, item := range f.Items {
		item.text(b, o, longest, !f.below && longest <= column)
	}
}

// text prints the name with its lines, beside it or below it.
func (item *Item) text(b *strings.Builder, o report.Terminal, longest int, beside bool) {
	switch {
	case item.Name == "":
		for _, line := range item.Lines {
			b.WriteString("  " + o.Wrap(line, 2) + "\n")
		}
	case beside:
		name := item.Name + strings.Repeat(" ", longest-utf8.RuneCountInString(item.Name))
		for _, line := range item.Lines {
			b.WriteString("  " + name + "  " + o.Wrap(line, longest+4) + "\n")
			name = strings.Repeat(" ", longest)
		}
		if len(item.Lines) == 0 {
			b.WriteString("  " + item.Name + "\n")
		}
	default:
		b.WriteString("  " + o.Wrap(item.Name, 4) + "\n")
		for _, line := range item.Lines {
			b.WriteString("    " + o.Wrap(line, 6) + "\n")
		}
	}
}
