package command

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/watchbed/watchbed/command/explain"
	"github.com/watchbed/watchbed/findings"
	"github.com/watchbed/watchbed/proofs"
	"github.com/watchbed/watchbed/report"
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
