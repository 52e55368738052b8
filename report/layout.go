package report

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"unicode/utf8"

	"github.com/watchbed/watchbed/diagnosis/summary"
)

// Page is text for a terminal, line by line as it is to be laid out:
//
//	text            is wrapped; what goes on stands two columns behind where the line begins
//	<text           is wrapped, and what goes on stands at the left
//	name\ttext      tabs divide cells, and lines in a row with tabs are a table. The last cell is wrapped below itself
//	|text           is never wrapped: it is to be copied. Cells behind it are wrapped on a terminal, and elsewhere read by programs
//
// A cell of number is at the right of its column.
type Page struct {
	strings.Builder
	To Terminal
}

// number has a cell stand at the right of its column.
func number(cell string) string { return "\x0f" + cell }

// leastColumn is the least width of a column that is wrapped.
const leastColumn = 30

// Line writes a text that is wrapped below its indentation.
func (p *Page) Line(indent int, format string, args ...any) {
	p.WriteString(strings.Repeat(" ", indent) + fmt.Sprintf(format, args...) + "\n")
}

// Copied writes what is to be copied.
func (p *Page) Copied(indent int, text string) {
	p.WriteString("|" + strings.Repeat(" ", indent) + text + "\n")
}

// Row writes the cells of a row; one of number is at the right of its column.
func (p *Page) Row(cells ...string) { p.WriteString(strings.Join(cells, "\t") + "\n") }

// End lays the page out.
func (p *Page) End(w io.Writer) error {
	_, err := io.WriteString(w, p.laidOut())
	return err
}

func (p *Page) laidOut() string {
	var b strings.Builder
	for lines := strings.SplitAfter(p.String(), "\n"); len(lines) > 0; {
		n := slices.IndexFunc(lines, func(line string) bool { return !strings.Contains(line, "\t") })
		if n > 0 {
			p.table(&b, lines[:n])
			lines = lines[n:]
			continue
		}
		line, ended := strings.CutSuffix(lines[0], "\n")
		lines = lines[1:]
		text, copied := strings.CutPrefix(line, "|")
		if !copied {
			text = strings.TrimLeft(line, " ")
			indent := len(line) - len(text)
			flush, isFlush := strings.CutPrefix(text, "<")
			if isFlush {
				text = strings.Repeat(" ", indent) + p.To.Wrap(flush, indent)
			} else {
				text = strings.Repeat(" ", indent) + p.To.Wrap(text, indent+2)
			}
		}
		b.WriteString(text)
		if ended {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// table lays out rows. A name that takes more than a third of a terminal, beside one text, is in a line of its own.
func (p *Page) table(b *strings.Builder, lines []string) {
	rows, widths, whole := make([][]string, len(lines)), []int{}, make([]bool, len(lines))
	for i, line := range lines {
		line, whole[i] = strings.CutPrefix(strings.TrimSuffix(line, "\n"), "|")
		rows[i] = strings.Split(line, "\t")
		for k, cell := range rows[i] {
			if k == len(widths) {
				widths = append(widths, 0)
			}
			widths[k] = max(widths[k], width(cell))
		}
	}
	if len(widths) == 2 && p.To.Width > 0 {
		widths[0] = min(widths[0], p.To.Width/3+2)
	}
	for i, cells := range rows {
		line, column, last := "", 0, len(cells)-1
		for k, cell := range cells[:last] {
			text, right := strings.CutPrefix(cell, "\x0f")
			line += pad(text, widths[k], right) + "  "
			column += widths[k] + 2
			if width(text) > widths[k] {
				line = strings.TrimRight(line, " ") + "\n" + strings.Repeat(" ", column)
			}
		}
		text, right := strings.CutPrefix(cells[last], "\x0f")
		switch {
		case right:
			text = pad(text, widths[last], true)
		case whole[i] && p.To.Width == 0:
		case p.To.width()-column < leastColumn:
			text = "\n    " + wrap(text, p.To.width(), 4)
		default:
			text = wrap(text, p.To.width(), column)
		}
		b.WriteString(strings.TrimRight(line+text, " ") + "\n")
	}
}

// width is how many columns a text takes, without what paints it.
func width(text string) int {
	n := 0
	for text != "" {
		before, paint, painted := strings.Cut(text, "\x1b")
		n += utf8.RuneCountInString(strings.TrimPrefix(before, "\x0f"))
		if !painted {
			break
		}
		_, text, _ = strings.Cut(paint, "m")
	}
	return n
}

func pad(s string, n int, right bool) string {
	fill := strings.Repeat(" ", max(0, n-width(s)))
	if right {
		return fill + s
	}
	return s + fill
}

// The sentences of reports are templates over the values that --json prints, as pages are. Their lines are laid out as
// Page says.
//
//go:embed texts/*.txt
var textFiles embed.FS

var texts = template.Must(template.New("").Funcs(template.FuncMap{
	"count": func(n any, noun string) string { return Counted(unsigned(n), noun) }, "times": func(n any) string { return times(unsigned(n)) },
	"grouped": grouped, "number": number, "amount": amount,
	"add": func(a, b int) int { return a + b }, "sub": func(a, b int) int { return a - b },
	"ratio":   func(a, b int) float64 { return float64(a) / float64(max(b, 1)) },
	"rate":    func(n int, seconds float64) float64 { return float64(n) / max(seconds, 1e-9) },
	"plain":   func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) },
	"subject": Subject, "seeds": seeds, "pace": pace, "histories": histories, "masked": sayMasked, "value": summary.Amount,
}).Funcs(matrixFunctions).ParseFS(textFiles, "texts/*.txt"))

func unsigned(n any) uint64 {
	if of, isInt := n.(int); isInt {
		return uint64(of)
	}
	return n.(uint64)
}

// Text is one of the texts, of a value.
func Text(to Terminal, name string, of any) *Page {
	p := &Page{To: to}
	if err := texts.ExecuteTemplate(p, name, struct {
		To      Terminal
		Program string
		Of      any
	}{to, to.program(), of}); err != nil {
		panic(err) // The templates are embedded, and a page takes everything.
	}
	return p
}

// writeText writes one of the texts.
func writeText(w io.Writer, to Terminal, name string, of any) error { return Text(to, name, of).End(w) }

// grouped writes a count with commas, such as 13,195.
func grouped(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Counted is a count with its noun, in the plural unless it is one.
func Counted(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(n) + " " + noun + "s"
}

// times is "once", or how many times.
func times(n uint64) string {
	if n == 1 {
		return "once"
	}
	return Counted(n, "time")
}

// InWords is "a, b and c".
func InWords(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
