package command

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/watchbed/watchbed/command/explain"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/findings"
	"github.com/watchbed/watchbed/proofs"
	"github.com/watchbed/watchbed/report"
	"github.com/watchbed/watchbed/testbed"
)

const listHelp = `List prints everything that has a name. With the name of a list it prints that list.
With any other name it explains what the name means: a scenario, an option or a value
of one (NAME=VALUE), a known bug or its issue, a cache design, a release of etcd or of
Kubernetes, a property, a strategy, a metric, a finding, or what a violation is called: what it is,
where it shows, and which scenario finds it how soon. A name of several kinds is explained as each.
With a word that is no name, or the number of an issue, it prints what speaks of it. With "figures" it prints the figures
of the documents (KEPs) beside what was measured, and the commands that measure it again. With "coverage" it prints the sections of
the documents, and which scenarios, properties and tests cover each. With "proofs" it prints what "prove" has shown of promises, releases and designs.`

const listExamples = `  PROGRAM list
  PROGRAM list bugs
  PROGRAM list issue-15220
  PROGRAM list progress
  PROGRAM list progress=deferred
  PROGRAM list 3.5.7
  PROGRAM list 1.31
  PROGRAM list linearizable-data
  PROGRAM list created-overtakes-progress
  PROGRAM list defragmented
  PROGRAM list 138494
  PROGRAM list figures
  PROGRAM list coverage
  PROGRAM list proofs --html proofs.html`

func listCommand(s process) *cobra.Command {
	var asJSON bool
	var page string
	c := &cobra.Command{
		Use:     "list [" + strings.Join(explain.ListNames, "|") + "|NAME]",
		Short:   "list everything that has a name, or explain one name",
		Long:    listHelp,
		Example: s.named(listExamples),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("one name at a time, and not also %q", args[1])
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			name := strings.Join(args, "")
			of, isTable := tables[name]
			switch {
			case page != "" && name != "proofs":
				return usage("--html is of the list \"proofs\"")
			case page != "" && asJSON:
				return usage("--html or --json, not both")
			case page != "":
				return s.writeFile("html", page, func(w io.Writer) error { return proofsPage.Execute(w, provedOf(s.program)) })
			case isTable && asJSON:
				return report.WriteJSON(s.out, of.asJSON())
			case isTable:
				return report.Text(s.terminal(), name, of.asText(s.program)).End(s.out)
			case len(args) == 0:
				return listAll(s, asJSON)
			}
			return listName(s, name, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	c.Flags().StringVar(&page, "html", "", "write the list \"proofs\" as a page to this file (-: standard output)")
	return c
}

// tables are what is listed beside names. What they have as text depends on the name of the program.
var tables = map[string]struct {
	asJSON func() any
	asText func(program string) any
}{
	"proofs":   {func() any { return proofs.Kept() }, func(program string) any { return provedOf(program) }},
	"figures":  {judgedFigures, func(string) any { return findings.Figures() }},
	"coverage": {func() any { return findings.Coverage() }, func(string) any { return findings.Coverage() }},
}

type judgedFigure struct {
	findings.Figure
	Verdict string `json:"verdict"`
}

func judgedFigures() any {
	var all []judgedFigure
	for _, f := range findings.Figures() {
		all = append(all, judgedFigure{f, f.Verdict()})
	}
	return all
}

func listAll(s process, asJSON bool) error {
	all := explain.Lists(explain.ListNames...)
	if asJSON {
		return report.WriteJSON(s.out, listed(all))
	}
	if err := listText(s.out, s.terminal(), all); err != nil {
		return err
	}
	_, err := fmt.Fprint(s.out, "\n"+s.program+" list NAME explains any of these names, and NAME=VALUE of an option.\n")
	return err
}

// listName prints the list of that name, and what else the name means.
func listName(s process, name string, asJSON bool) error {
	chosen := explain.Lists(name)
	isList := len(chosen) > 0
	all, err := explain.Name(s.program, name)
	if number := explain.Issue(name); !isList && err == nil && len(all) == 0 && number != "" {
		return listName(s, number, asJSON)
	}
	switch {
	case err != nil:
		return usage("%w", err)
	case !isList && (len(all) == 0 || explain.IsNumber(name)):
		return listMentions(s, name, all, asJSON)
	case !isList && asJSON:
		return report.WriteJSON(s.out, explainedJSON(all))
	case !isList:
		return explain.WriteText(s.out, s.terminal(), all)
	}
	if asJSON {
		// Nothing but the list, so that all lists have one form.
		return report.WriteJSON(s.out, listed(chosen))
	}
	if err := listText(s.out, s.terminal(), chosen); err != nil || len(all) == 0 {
		return err
	}
	fmt.Fprintln(s.out)
	return explain.WriteText(s.out, s.terminal(), all)
}

// listMentions prints what speaks of a word that is no name, or of an issue, behind what is called so.
func listMentions(s process, word string, all []explain.Explanation, asJSON bool) error {
	chosen := explain.Mentions(word, all)
	switch {
	case len(all)+len(chosen) == 0:
		return usage("%w", explain.Unknown(s.program, word, explain.ListNames...))
	case asJSON:
		object := explainedJSON(all)
		object.Mentioned = listed(chosen)
		return report.WriteJSON(s.out, object)
	case len(all) == 0:
		fmt.Fprintf(s.out, "%s\n\n", noName(s.program, word))
	default:
		if err := explain.WriteText(s.out, s.terminal(), all); err != nil || len(chosen) == 0 {
			return err
		}
		fmt.Fprint(s.out, "\nThese speak of it as well:\n\n")
	}
	if len(chosen) == 1 {
		fmt.Fprintln(s.out, chosen[0].Name)
	}
	return listText(s.out, s.terminal(), chosen)
}

// noName is said of a word that only texts have. It may be a name with a letter wrong.
func noName(program, word string) string {
	if explain.IsNumber(word) {
		return fmt.Sprintf("Nothing is called %q. These speak of it:", word)
	}
	text := strings.TrimPrefix(explain.Unknown(program, word, explain.ListNames...).Error(), "n")
	if !strings.HasSuffix(text, "?") {
		text += "."
	}
	return "N" + text + " These speak of it:"
}

// explanations is what a name means, as JSON. The fields of a scenario stand beside.
type explanations struct {
	*explain.Scenario
	Explained []explain.Explanation `json:"explained"`
	// Mentioned is what speaks of a word that is no name, or of an issue.
	Mentioned map[string][]explain.Entry `json:"mentioned,omitempty"`
}

func explainedJSON(all []explain.Explanation) explanations {
	object := explanations{Explained: append([]explain.Explanation{}, all...)}
	for i := range all {
		if all[i].Scenario != nil {
			object.Scenario = all[i].Scenario
		}
	}
	return object
}

func listed(chosen []explain.List) map[string][]explain.Entry {
	all := map[string][]explain.Entry{}
	for _, sec := range chosen {
		all[sec.Name] = sec.Entries
	}
	return all
}

// listText writes lists with one line for each name, which begins with two spaces, so that other programs can read
// them. A heading begins with one. On a terminal a line that is too long goes on below its text.
func listText(w io.Writer, o report.Terminal, chosen []explain.List) error {
	p := &report.Page{To: o}
	for i, list := range chosen {
		if len(chosen) > 1 {
			p.WriteString(map[bool]string{true: "\n"}[i > 0] + list.Name + "\n")
		}
		heading := ""
		for _, e := range list.Entries {
			if e.Heading != heading {
				heading = e.Heading
				p.WriteString(" " + cmp.Or(heading, "More") + "\n")
			}
			p.Row("|  "+e.Name, e.About)
		}
	}
	return p.End(w)
}

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
