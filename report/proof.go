package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore/prove"
)

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
