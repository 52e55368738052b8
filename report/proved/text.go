package proved

import (
	"fmt"
	"io"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/report"
)

// WriteProof writes for a terminal what was covered, and what was not.
func WriteProof(w io.Writer, o report.Terminal, r *proof.Proof) error {
	p := &report.Page{To: o}
	s := sayingsOf(r)
	word := s.Word
	switch prove.Verdict(r.Verdict) {
	case prove.Proved:
		word = o.Good(word)
	case prove.Violated:
		word = o.Bad(word)
	}
	p.Line(0, "%s", s.Subject)
	p.Line(0, "%s: %s.", word, s.Meaning)
	p.WriteString("\n")

	p.Line(0, "Bounds: %s.", s.Workload)
	for _, b := range s.Bounds {
		p.Line(2, "%s", b)
	}
	p.WriteString("\n")

	width := 0
	for _, c := range s.Claims {
		width = max(width, len(c.Property))
	}
	for _, c := range s.Claims {
		// Not a Line: wrapping would close the gap between the columns.
		fmt.Fprintf(p, "  %-*s  checked by %s\n", width, c.Property, c.Checked)
	}
	if s.NotJudged != "" {
		p.Line(2, "%s", s.NotJudged)
	}
	p.WriteString("\n")

	for _, c := range s.Covered {
		p.Line(0, "%s", c)
	}
	return p.End(w)
}
