package proved

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/report"
)

//go:embed search.html
var searchHTML string

var searchTemplate = template.Must(template.New("search").Parse(searchHTML))

// WriteHTML writes a page about a search. If it found a violation, that is the page of the run
// which was told, nil if there is none, and what was searched stands below it. What can be typed begins with the
// name of the program. The error is that the run does not replay, or that of w.
func WriteHTML(w io.Writer, program string, r *proof.Proof, told *diagnosis.Diagnosis) error {
	s := sayingsOf(r)
	var section strings.Builder
	if err := searchTemplate.ExecuteTemplate(&section, "section", s); err != nil {
		return err
	}
	if told != nil {
		return report.WriteRunHTML(w, program, told, report.Section{Place: "search", Heading: "What was searched", Body: template.HTML(section.String())})
	}
	return searchTemplate.ExecuteTemplate(w, "page", map[string]any{"Style": report.Style(), "Search": s})
}
