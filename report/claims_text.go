package report

import (
	"bufio"

	"github.com/watchbed/watchbed/diagnosis/claims"
)

// otherFigures says where those are that no campaign of a matrix measures.
const otherFigures = "All other figures of the documents, with what measures each: diagnosis/claims/figures.md."

// writeClaims writes what the documents say, what was measured, and the reason.
func writeClaims(b *bufio.Writer, o Terminal, results []claims.Result) {
	if len(results) == 0 {
		return
	}
	b.WriteString(o.bold("What the documents say:") + "\n")
	said := ""
	for i := range results {
		c := &results[i]
		if c.Says != said {
			said = c.Says
			b.WriteString("  " + wrap(c.Document+": "+c.Says, o.width(), 2) + "\n")
		}
		verdict, measured := o.Good("borne out   "), c.Measured+"; "+c.Why
		switch {
		case c.Unmeasured:
			verdict, measured = "unknown     ", c.Measured
		case !c.BorneOut:
			verdict = o.Bad("contradicted")
		}
		b.WriteString("    " + verdict + "  " + wrap(c.Where+": "+measured, o.width(), 18) + "\n")
	}
	b.WriteString("  " + wrap(otherFigures, o.width(), 2) + "\n\n")
}
