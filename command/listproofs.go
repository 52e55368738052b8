package command

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/proofs"
	"github.com/watchbed/watchbed/report"
	"github.com/watchbed/watchbed/testbed"
)

var proofsIntro = []string{
	`What "prove" has shown: it looks at every schedule within bounds, in place of a sample of them. "Proved" is meant within the bounds ` +
		`of the row and of nothing beyond them: the options of the workload, and how often each timer fires that is not part of a client's plan. ` +
		`Any armed timer may fire at any point, which is more than real time allows; with a clock in place of that the horizon bounds a run. A ` +
		`violation comes with a shortest schedule, which the command tells. Tests search the small rows again.`,
	`"N states for M states": of states that differ only in which of several clients with the same plan is which one was looked at.`,
	`No bound covers what comes only of many (full buffers, backoff that grows, work that is shared among seats), more writers, readers, ` +
		`caches or members than in the row, faults that the row does not name or that strike more often, races that the bed masks, and ` +
		`delays between those that were looked at.`,
}

// provedPart is a part of the table for people.
type provedPart struct {
	Title, Text string
	Rows        []provedRow
}

// provedRow is what was asked for, and what it came to.
type provedRow struct{ Asked, Came string }

// provedParts are all parts of the table of proofs.
func provedParts(program string) []provedPart {
	t := proofs.Kept()
	parts := make([]provedPart, 1, len(t.Parts)+3)
	for _, p := range t.Parts {
		text := p.Text
		if p.Wanted != "" {
			text += " Still too large: " + p.Wanted + "."
		}
		parts = append(parts, provedPart{Title: p.Title, Text: text})
	}
	for _, s := range slices.SortedFunc(maps.Values(t.Proofs), func(a, b proofs.Search) int { return cmp.Compare(inOrder(a.Asked), inOrder(b.Asked)) }) {
		parts[s.Part].Rows = append(parts[s.Part].Rows, provedRow{program + " prove " + s.Asked, cameTo(&s)})
	}
	parts[0].Title, parts[0].Text = "The catalogue, one thing at a time", "Scenarios in worlds so small that at most one client, one write and one fault are left of each, "+
		"and worlds of one thing more. A row judges what such a world puts to the test, and leaves the other claims of its scenario out."
	bugs := provedPart{Title: "Known bugs", Text: "The shortest run of each known bug that a search finds within small bounds, the steps of the run that shrinking makes of what random " +
		"schedules find within the same bounds, and what the bounds come to without the bug."}
	for _, name := range slices.Sorted(maps.Keys(t.Bugs)) {
		s := t.Bugs[name]
		came := cameTo(&s)
		if s.Shrunk > 0 {
			came += "; shrunk to " + report.Counted(uint64(s.Shrunk), "step")
		}
		bugs.Rows = append(bugs.Rows, provedRow{program + " prove " + s.Asked, came + "; without it " + s.Without.Verdict + ", " + report.Counted(uint64(s.Without.States), "state")})
	}
	left := provedPart{Title: "Known bugs that no search finds yet"}
	for _, b := range testbed.KnownBugs() {
		if _, found := t.Bugs[b.Name]; !found {
			left.Rows = append(left.Rows, provedRow{b.Name, b.WhyUnsearched()})
		}
	}
	left.Text = fmt.Sprintf("%d of %d.", len(left.Rows), len(testbed.KnownBugs()))
	return append(parts[1:], parts[0], bugs, left)
}

var number = regexp.MustCompile(`[0-9]+`)

// inOrder sorts as text: release 3.5.7 comes before 3.5.12.
func inOrder(asked string) string {
	return number.ReplaceAllStringFunc(asked, func(n string) string { return fmt.Sprintf("%8s", n) })
}

// cameTo is what a search came to.
func cameTo(s *proofs.Search) string {
	text := s.Verdict
	switch prove.Verdict(s.Verdict) {
	case prove.Violated:
		text += ": " + s.Violated + ", " + report.Counted(uint64(s.Steps-s.Loop), "step")
		if s.Loop > 0 {
			text += fmt.Sprintf(" and a loop of %d", s.Loop)
		}
	case prove.Unknown:
		text += ": " + s.Why
	case prove.Vacuous:
		text += ": " + strings.Join(s.Vacuous, ", ")
	default:
		if len(s.Claims) > 0 {
			text += ": " + strings.Join(s.Claims, ", ")
		}
	}
	text += "; " + report.Counted(uint64(s.States), "state")
	text += ", " + report.Counted(uint64(s.Transitions), "transition") + fmt.Sprintf(", depth %d", s.Depth)
	if s.Seconds > 0 {
		text += fmt.Sprintf(", %g s", s.Seconds)
	}
	if len(s.NotJudged) > 0 {
		text += "; not judged: " + strings.Join(s.NotJudged, ", ")
	}
	return text
}

var proofsPage = template.Must(template.New("proofs").Parse(`<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Proofs</title>
<style>body{font:14px sans-serif;max-width:80em;margin:2em auto;padding:0 1em}td{padding:.2em 1em .2em 0;vertical-align:top}code{font-size:12px}</style>
<h1>Proofs</h1>
{{range .Intro}}<p>{{.}}</p>
{{end}}{{range .Parts}}<h2>{{.Title}}</h2>
<p>{{.Text}}</p>
<table>
{{range .Rows}}<tr><td><code>{{.Asked}}</code></td><td>{{.Came}}</td></tr>
{{end}}</table>
{{end}}</html>
`))

// provedTable is the table of proofs for people.
type provedTable struct {
	Intro []string
	Parts []provedPart
}

func provedOf(program string) provedTable { return provedTable{proofsIntro, provedParts(program)} }
