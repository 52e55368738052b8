package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/matrix"
	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// WriteMatrix writes a line for each cell, and below it how to see every violation
// again.
func WriteMatrix(w io.Writer, o Terminal, m *matrix.Matrix) error {
	return writeText(w, o, "matrix", m)
}

// WriteCompared writes what differs between two columns, or between one and what is known: what differs first, then
// what is unknown, then a count of what is alike.
func WriteCompared(w io.Writer, o Terminal, c *matrix.Comparison) error {
	return writeText(w, o, "comparison", c)
}

// WriteMatrixHTML writes a page about a matrix. It needs nothing from elsewhere.
func WriteMatrixHTML(w io.Writer, m *matrix.Matrix) error { return matrixTemplate.Execute(w, m) }

//go:embed matrix.html
var matrixHTML string

var matrixTemplate = template.Must(template.New("matrix").Funcs(pageFunctions).Funcs(matrixFunctions).Parse(matrixHTML))

// matrixFunctions are those of the texts and of the page.
var matrixFunctions = map[string]any{
	"answers": answersOf, "notes": matrixNotes, "words": InWords, "join": strings.Join, "newest": newestMeasured, "seconds": summary.Seconds,
	"costs": func() []string { return matrix.Costs },
	"cost":  func(c *matrix.Cost, measure string) string { return amount(c.Measure(measure)) },
	"beyond": func() string {
		return "No verdict rests on these: " + matrix.Reference + " is violated there as well, or another version of etcd takes part, or an event is lost."
	},
	"list": func(texts ...string) []string { return texts },
	"promise": func(property string) string {
		p, err := testbed.FindProperty(property)
		if err != nil {
			return ""
		}
		return p.Promise
	},
	"chance": chance, "ways": wordsOf, "groups": groupsOf, "told": toldOf, "byReason": byReason, "only": onlyWay,
}

// answer is told by a sign and a word; the color only repeats it. Word is for a cell of a column that has the question
// as its name, Whole for one that has not.
type answer struct {
	*matrix.Question
	Name, Class, Sign, Word, Whole string
}

func answersOf(c *matrix.Cell) (all []answer) {
	for _, a := range []answer{{Question: &c.Safe, Name: "safe"}, {Question: &c.Live, Name: "live"}} {
		a.Class, a.Sign, a.Word, a.Whole = "unknown", "?", a.Verdict.String(), a.Name+": "+a.Verdict.String()
		switch a.Verdict {
		case model.Holds:
			except := leftOut(c)
			a.Class, a.Sign, a.Word, a.Whole = "yes", "✓", "yes"+except, a.Name+except
		case model.Violated:
			wrong := ""
			if e := a.Failing(); e != nil {
				wrong = ": " + wordsOf(e.Failing())[0]
			}
			a.Class, a.Sign, a.Word, a.Whole = "no", "✗", "no"+wrong, "not "+a.Name+wrong
		}
		all = append(all, a)
	}
	return all
}

// leftOut names the races that are masked in the scenarios that the answers of a cell rest on; empty if none is.
func leftOut(c *matrix.Cell) string {
	var names []string
	for i, r := range testbed.Races() {
		if slices.Contains(c.Masked, r.Option) {
			names = append(names, fmt.Sprintf("R%d", i+1))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", except race " + InWords(names)
}

// wordsOf are the words for the ways in which a claim is violated.
func wordsOf(c *matrix.Claim) (all []string) {
	property, err := testbed.FindProperty(c.Property)
	for _, w := range c.Ways {
		text := w.Label
		if err == nil {
			text = property.Words(w.Label)
		}
		all = registry.With(all, text)
	}
	return all
}

// newestMeasured is the last version of which a cost is known: what a LIST costs
// hardly depends on it, but for the bugs.
func newestMeasured(m *matrix.Matrix) (newest string) {
	for _, version := range m.Versions {
		if slices.ContainsFunc(m.Cells, func(c *matrix.Cell) bool {
			return slices.Contains(c.Versions(), version) && c.CostOf(matrix.Waiting) != nil
		}) {
			newest = version
		}
	}
	return newest
}

// amount writes a measure of what LISTs cost.
func amount(v *float64, unit string) string {
	switch {
	case v == nil:
		return "-"
	case unit == "share":
		return fmt.Sprintf("%.0f%%", 100**v)
	case unit == "s" || unit == "bytes":
		return summary.Amount(*v, unit)
	}
	return fmt.Sprintf("%.2f", *v)
}

// matrixNotes say what the verdicts rest on.
func matrixNotes(m *matrix.Matrix) (notes []string) {
	for i, r := range testbed.Races() {
		if slices.ContainsFunc(m.Cells, func(c *matrix.Cell) bool { return slices.Contains(c.Masked, r.Option) }) {
			notes = append(notes, fmt.Sprintf("Race R%d, of every release of etcd: %s. `%s run %s` shows it.", i+1, r.What, m.Program, r.Scenario))
		}
	}
	notes = append(notes, fmt.Sprintf("%s in %.1f s. `%s matrix --help` says what the columns mean.", Counted(m.Schedules, "schedule"), m.Seconds, m.Program))
	if m.CutShort() {
		notes = append(notes, "What is unknown rests on campaigns with too few schedules: give it a longer --for, or more --seeds.")
	}
	if m.Interrupted {
		done := 0
		for _, c := range m.Cells {
			done += len(c.Versions())
		}
		notes = append(notes, fmt.Sprintf("Interrupted: %d of %d cells.", done, len(m.Designs)*len(m.Versions)))
	}
	return notes
}

// group are claims that one side violates for the same reasons, and the other does not.
type group struct {
	Because []string
	Claims  []*groupedClaims
	First   *matrix.Claim
	n       int
}

// groupedClaims are those of one scenario: so many schedules of the bad side, and of the other.
type groupedClaims struct {
	Scenario         string
	Properties       []string
	Schedules, Other uint64
	Chance           float64
}

// groupsOf are the claims that each side alone violates, by reason: what is not known first, then what most claims have
// in common.
func groupsOf(c *matrix.Comparison) (sides [2][]*group) {
	for _, d := range c.Kinds(string(matrix.Verdict)) {
		bad, other := d.Sides[d.Bad()], d.Sides[d.Other()]
		because := bad.Because
		if slices.Equal(because, other.Because) {
			because = nil // what is known of both sides does not tell them apart
		}
		of := &sides[d.Bad()]
		at := slices.IndexFunc(*of, func(g *group) bool { return slices.Equal(g.Because, because) })
		if at < 0 {
			at = len(*of)
			*of = append(*of, &group{Because: because, First: bad})
		}
		g := (*of)[at]
		g.n++
		if n := len(g.Claims); n == 0 || g.Claims[n-1].Scenario != d.Scenario {
			g.Claims = append(g.Claims, &groupedClaims{Scenario: d.Scenario, Schedules: bad.Schedules, Other: other.Schedules})
		}
		last := g.Claims[len(g.Claims)-1]
		last.Properties = append(last.Properties, fmt.Sprintf("%s %d", d.Property, bad.Violations))
		last.Chance = max(last.Chance, d.Chance)
	}
	for _, of := range sides {
		slices.SortStableFunc(of, func(a, b *group) int {
			return cmp.Or(min(1, len(a.Because))-min(1, len(b.Because)), b.n-a.n)
		})
	}
	return sides
}

// chance is the p-value of two counts.
func chance(p float64) string {
	if p < 1e-6 {
		return "p < 1e-6"
	}
	return fmt.Sprintf("p = %.2g", p)
}

// mostTold is how much of what happens in the stories of one side only is written for a claim and a side.
const mostTold = 2

// toldOf is what happens in the stories of one side, and not in those of the other, of several ways to fail once.
func toldOf(d *matrix.Difference) (all []matrix.StoryDifference) {
	var told [2]int
	for i, s := range d.Stories {
		again := slices.ContainsFunc(d.Stories[:i], func(x matrix.StoryDifference) bool { return x.Side == s.Side && x.Where == s.Where && x.What == s.What })
		if !again && told[s.Side] < mostTold {
			told[s.Side]++
			all = append(all, s)
		}
	}
	return all
}

// onlyWay shows a way in which one side violates a claim, and the other does not.
func onlyWay(d *matrix.Difference) string {
	for k, of := range d.Sides {
		for _, w := range of.Ways {
			if !slices.ContainsFunc(d.Sides[1-k].Ways, func(x matrix.Way) bool { return x.Label == w.Label }) {
				return w.Command
			}
		}
	}
	return d.Sides[0].Command()
}

// byReason are the scenarios that are unknown, each with its properties, by reason.
func byReason(list []matrix.Unknown) map[string]map[string][]string {
	all := map[string]map[string][]string{}
	for _, u := range list {
		if all[u.Why] == nil {
			all[u.Why] = map[string][]string{}
		}
		all[u.Why][u.Scenario] = append(all[u.Why][u.Scenario], u.Property)
	}
	return all
}

//go:embed search.html
var searchHTML string

var searchTemplate = template.Must(template.New("search").Funcs(pageFunctions).Parse(searchHTML))

// searched is what a search of every schedule came to, in the sentences that a terminal and a page show alike.
type searched struct {
	*proof.Proof
	Subject string
	// Word is the verdict, Meaning what it says of this search.
	Word, Meaning   string
	Bounds, Covered []string
	Claims          []checkedClaim
	// NotJudged names the claims that a search does not judge; it is empty if there are none.
	NotJudged string
}

// checkedClaim is a property, and how many steps or schedules put it to the test.
type checkedClaim struct{ Property, Checked string }

// proofOf is a proof as the texts take it: Set is what is masked and set, Unit what timers are cut in.
type proofOf struct {
	*proof.Proof
	Set  []string
	Unit string
}

func searchedOf(r *proof.Proof) *searched {
	s := &searched{Proof: r, Subject: r.Scenario + " on " + Subject(r.Etcd, r.Client, r.Cache, r.Bugs)}
	of, by := proofOf{r, slices.Concat(r.Masked, r.Settings), "state"}, "step"
	if r.Schedules != nil {
		of.Unit, by = "schedule", "schedule"
	}
	lines := func(name string) []string {
		return strings.FieldsFunc(Text(Terminal{}, name, of).String(), func(r rune) bool { return r == '\n' })
	}
	s.Bounds, s.Covered = lines("bounds"), lines("covered")
	for _, name := range r.Claims {
		s.Claims = append(s.Claims, checkedClaim{name, Counted(uint64(r.Checked[name]), by)})
	}
	if len(r.NotJudged) > 0 && !r.Partial {
		s.NotJudged = fmt.Sprintf("Not judged by a search: %s.", strings.Join(r.NotJudged, ", "))
	}
	s.Word = string(r.Verdict)
	switch r.Verdict {
	case prove.Proved:
		s.Word, s.Meaning = "proved within bounds", "no schedule violates what is claimed"
	case prove.Violated:
		s.Meaning = lines("shown first")[0]
	case prove.Vacuous:
		s.Meaning = "a claim was never put to the test within the bounds"
	default:
		if s.Meaning = r.Why; r.Partial {
			s.Word, s.Meaning, _ = strings.Cut(r.Why, ": ")
		}
	}
	return s
}

// WriteProof writes for a terminal what a search of every schedule covered, and what it did not.
func WriteProof(w io.Writer, o Terminal, r *proof.Proof) error {
	return writeText(w, o, "proof", searchedOf(r))
}

// WriteProofHTML writes a page about a search. If it found a violation, that is the page of the run which was told, nil
// if there is none, and what was searched stands below it. What can be typed begins with the name of the program. The
// error is that the run does not replay, or that of w.
func WriteProofHTML(w io.Writer, program string, r *proof.Proof, told *diagnosis.Diagnosis) error {
	s := searchedOf(r)
	if told == nil {
		return searchTemplate.ExecuteTemplate(w, "page", s)
	}
	var b strings.Builder
	if err := searchTemplate.ExecuteTemplate(&b, "section", s); err != nil {
		return err
	}
	return WriteRunHTML(w, program, told, section{"search", "What was searched", template.HTML(b.String())})
}
