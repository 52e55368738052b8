package report

import (
	"embed"
	"io"
	"strconv"
	"strings"
	"text/template"

	"github.com/watchbed/watchbed/diagnosis/summary"
)

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
