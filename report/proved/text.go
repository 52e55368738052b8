package proved

import (
	"fmt"
	"io"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/report"
)

type page struct{ report.Page }

// WriteProof writes what was covered, and what was not.
func WriteProof(w io.Writer, o report.Terminal, r *proof.Proof) error {
	p := &page{report.Page{To: o}}
	p.title(r)
	p.bounds(r)
	p.claims(r)
	p.covered(r)
	return p.End(w)
}

func (p *page) title(r *proof.Proof) {
	verdict := ""
	switch prove.Verdict(r.Verdict) {
	case prove.Proved:
		verdict = p.To.Good("proved within bounds") + ": no schedule violates what is claimed"
	case prove.Violated:
		verdict = p.To.Bad("violated") + ": " + shortest(&r.Failures[0])
	case prove.Vacuous:
		verdict = "vacuous: a claim was never put to the test within the bounds"
	default:
		verdict = "undecided: " + r.Why
	}
	p.Line(0, "%s on %s", r.Scenario, report.Subject(r.Etcd, r.Client, r.Cache, r.Bugs))
	p.Line(0, "%s.", verdict)
	p.WriteString("\n")
}

func shortest(f *proof.Failure) string {
	if f.Loop == 0 {
		return "this is a shortest schedule, of " + report.Counted(uint64(f.Steps), "step")
	}
	return fmt.Sprintf("after %s the last %s can be repeated for ever", report.Counted(uint64(f.Steps-f.Loop), "step"), report.Counted(uint64(f.Loop), "step"))
}

func (p *page) bounds(r *proof.Proof) {
	p.Line(0, "Bounds: %s.", strings.Join(r.Bounds.Workload, " "))
	p.Line(2, "Each timer of etcd, of client libraries, caches and informers fires at most %s, at any point (there is no clock).", times(r.Bounds.Firings))
	if r.Bounds.RestFree {
		p.Line(2, "When all messages have arrived and all loops wait, timers fire without end, but for those that give something up.")
	}
	if r.Bounds.Depth > 0 {
		p.Line(2, "A schedule has at most %s.", report.Counted(uint64(r.Bounds.Depth), "step"))
	}
	if r.Bounds.AtRest {
		p.Line(2, "It begins when the caches have listed and watch: other ways to get there are not looked at.")
	}
	if r.Bounds.Fixed > 0 {
		p.Line(2, "Before it begins, each of %s had its first answer.", report.Counted(uint64(r.Bounds.Fixed), "question"))
	}
	if set := append(append([]string(nil), r.Masked...), r.Settings...); len(set) > 0 {
		p.Line(2, "Set: %s.", strings.Join(set, ", "))
	}
	for _, c := range r.Cut {
		p.Line(2, "Cut: %s of %s would have fired once more in %s.", c.Timer, c.Node, report.Counted(uint64(c.Times), "state"))
	}
	p.WriteString("\n")
}

func (p *page) claims(r *proof.Proof) {
	width := 0
	for _, name := range r.Claims {
		width = max(width, len(name))
	}
	for _, name := range r.Claims {
		// Not a Line: wrapping would close the gap between the columns.
		fmt.Fprintf(p, "  %-*s  checked by %s\n", width, name, report.Counted(uint64(r.Checked[name]), "step"))
	}
	if len(r.NotJudged) > 0 {
		p.Line(2, "Not judged by a search: %s.", strings.Join(r.NotJudged, ", "))
	}
	p.WriteString("\n")
}

func (p *page) covered(r *proof.Proof) {
	text := fmt.Sprintf("%s, %s, depth %d, in %.1f s (%.0f states a second, %.1f bytes a state). ",
		report.Counted(uint64(r.States), "state"), report.Counted(uint64(r.Transitions), "transition"), r.Depth,
		r.Seconds, float64(r.States)/max(r.Seconds, 1e-9), float64(r.Bytes)/float64(max(r.States, 1)))
	text += fmt.Sprintf("The clients were done in %s. ", report.Counted(uint64(r.Ended), "state"))
	if r.Rested > 0 {
		text += fmt.Sprintf("In %s nothing more could happen. ", report.Counted(uint64(r.Rested), "state"))
	}
	if r.CutStates > 0 {
		text += fmt.Sprintf("In %s the bounds left nothing that could happen. ", report.Counted(uint64(r.CutStates), "state"))
	}
	if r.Left > 0 {
		text += fmt.Sprintf("%s were found and not expanded. ", report.Counted(uint64(r.Left), "state"))
	}
	p.Line(0, "%sTwo states were taken for one with a probability of at most %.0e.", text, r.Collision)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
