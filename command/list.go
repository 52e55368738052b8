package command

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/watchbed/watchbed/command/explain"
	"github.com/watchbed/watchbed/command/mention"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/findings"
	"github.com/watchbed/watchbed/knownbugs/detection"
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/proofs"
	"github.com/watchbed/watchbed/report"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

// entry is one line of a list.
type entry struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

type section struct {
	name    string
	entries func() []entry
}

var sections = []section{
	{"scenarios", func() (list []entry) {
		for _, sc := range testbed.Scenarios() {
			list = append(list, entry{sc.Name, sc.Summary})
		}
		return list
	}},
	{"etcd", func() (list []entry) {
		for _, v := range etcd.Versions() {
			list = append(list, entry{v, behaviours(v)})
		}
		return list
	}},
	{"cache", func() (list []entry) {
		for _, d := range cache.Designs() {
			list = append(list, entry{d.Name, d.Doc})
		}
		return list
	}},
	{"bugs", func() (list []entry) {
		for _, b := range testbed.KnownBugs() {
			about := b.Summary + " (" + b.Node() + ": " + b.Setting
			if b.Issue != "" {
				about += ", " + b.Issue
			}
			about += ")"
			if d, ok := detection.Of(b.Name); ok {
				about += "; " + d.Scenario + ": " + d.String()
			}
			list = append(list, entry{b.Name, about})
		}
		return list
	}},
	{"options", func() (list []entry) {
		for _, o := range testbed.Describe() {
			list = append(list, entry{o.Name, aboutOption(&o)})
		}
		return list
	}},
	{"properties", func() (list []entry) {
		for _, p := range testbed.Properties() {
			list = append(list, entry{p.Name, p.Promise})
		}
		return list
	}},
	{"strategies", func() (list []entry) {
		for _, s := range strategy.All() {
			list = append(list, entry{s.Name, s.Summary})
		}
		return list
	}},
	{"findings", func() (list []entry) {
		for _, p := range findings.All() {
			list = append(list, entry{p.Name, p.Title + " (" + p.Path() + ")"})
		}
		return list
	}},
	{"metrics", func() (list []entry) {
		for _, m := range metric.All() {
			list = append(list, entry{m.String(), m.Help()})
		}
		return list
	}},
}

// aboutOption says what an option belongs to, what it does, and which values it
// takes.
func aboutOption(o *testbed.Described) string {
	about := o.Node + ": " + o.Doc
	var names []string
	for _, v := range o.Values {
		names = append(names, v.Name)
	}
	switch {
	case len(names) > 0:
		about += " (" + strings.Join(names, ", ") + ")"
	case o.Default != "":
		about += " (" + o.Form + "; 0: " + o.Default + ")"
	default:
		about += " (" + o.Form + ")"
	}
	return about
}

// behaviours says what a listed release does where releases differ: all of it for the
// first, and for the others in what they differ from one that is listed before.
func behaviours(version string) string {
	o, err := etcd.OptionsOf(version)
	if err != nil {
		return ""
	}
	listed := etcd.Versions()
	at := slices.Index(listed, version)
	for _, earlier := range listed[:at] {
		if len(differences(earlier, &o)) == 0 {
			return "behaves the same as " + earlier
		}
	}
	if at == 0 {
		return strings.Join(varying(&o), " ")
	}
	return "as " + listed[at-1] + ", but " + strings.Join(differences(listed[at-1], &o), " ")
}

// varying are the settings of the options in which releases differ.
func varying(o *etcd.Options) []string {
	var all []string
	for _, c := range etcd.Choices {
		if slices.ContainsFunc(etcd.Versions(), func(v string) bool {
			other, _ := etcd.OptionsOf(v)
			return c.Get(&other) != c.Get(o)
		}) {
			all = append(all, c.Name+"="+c.Get(o))
		}
	}
	return all
}

// differences are the settings that another version has otherwise.
func differences(version string, o *etcd.Options) []string {
	other, _ := etcd.OptionsOf(version)
	var all []string
	for _, c := range etcd.Choices {
		if c.Get(&other) != c.Get(o) {
			all = append(all, c.Name+"="+c.Get(o))
		}
	}
	return all
}

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
		Use:     "list [" + strings.Join(sectionNames(), "|") + "|NAME]",
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
			switch {
			case page != "" && name != "proofs":
				return usage("--html is of the list \"proofs\"")
			case page != "" && asJSON:
				return usage("--html or --json, not both")
			case page != "":
				return s.writeFile("html", page, func(w io.Writer) error { return writeProofsPage(w, s.program) })
			case name == "proofs" && asJSON:
				return writeJSON(s.out, proofs.Kept())
			case name == "proofs":
				return s.writeProofs()
			case name == "figures" && asJSON:
				return writeJSON(s.out, judgedFigures())
			case name == "figures":
				return findings.WriteFigures(s.out)
			case name == "coverage" && asJSON:
				return writeJSON(s.out, findings.Coverage())
			case name == "coverage":
				return findings.WriteCoverage(s.out)
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

type judgedFigure struct {
	findings.Figure
	Verdict string `json:"verdict"`
}

func judgedFigures() (all []judgedFigure) {
	for _, f := range findings.Figures() {
		all = append(all, judgedFigure{f, f.Verdict()})
	}
	return all
}

func sectionNames() []string {
	var names []string
	for _, sec := range sections {
		names = append(names, sec.name)
	}
	return names
}

func listAll(s process, asJSON bool) error {
	if asJSON {
		return writeJSON(s.out, listed(sections))
	}
	if err := listText(s.out, s.terminal(), sections); err != nil {
		return err
	}
	_, err := fmt.Fprint(s.out, "\n"+s.program+" list NAME explains any of these names, and NAME=VALUE of an option.\n")
	return err
}

// listName prints the list of that name, and what else the name means.
func listName(s process, name string, asJSON bool) error {
	i := slices.IndexFunc(sections, func(sec section) bool { return sec.name == name })
	all, err := explain.Name(s.program, name)
	if number := mention.Issue(name); i < 0 && err == nil && len(all) == 0 && number != "" {
		return listName(s, number, asJSON)
	}
	switch {
	case err != nil:
		return usage("%w", err)
	case i < 0 && (len(all) == 0 || mention.IsNumber(name)):
		return listMentions(s, name, all, asJSON)
	case i < 0 && asJSON:
		return writeJSON(s.out, explainedJSON(all))
	case i < 0:
		return explain.WriteText(s.out, s.terminal(), all)
	}
	chosen := sections[i : i+1]
	if asJSON {
		// Nothing but the list, so that all lists have one form.
		return writeJSON(s.out, listed(chosen))
	}
	if err := listText(s.out, s.terminal(), chosen); err != nil || len(all) == 0 {
		return err
	}
	fmt.Fprintln(s.out)
	return explain.WriteText(s.out, s.terminal(), all)
}

// listMentions prints what speaks of a word that is no name, or of an issue, behind what is called so.
func listMentions(s process, word string, all []explain.Explanation, asJSON bool) error {
	var chosen []section
	for _, kind := range mention.Of(word) {
		var entries []entry
		for _, m := range kind.Found {
			if !slices.ContainsFunc(all, func(e explain.Explanation) bool { return e.Name == m.Name }) {
				entries = append(entries, entry{m.Name, strings.TrimSpace(m.Sentence)})
			}
		}
		if len(entries) > 0 {
			chosen = append(chosen, section{kind.List, func() []entry { return entries }})
		}
	}
	switch {
	case len(all)+len(chosen) == 0:
		return usage("%w", explain.Unknown(s.program, word, sectionNames()...))
	case asJSON:
		object := explainedJSON(all)
		object.Mentioned = listed(chosen)
		return writeJSON(s.out, object)
	case len(all) == 0:
		fmt.Fprintf(s.out, "%s\n\n", noName(s.program, word))
	default:
		if err := explain.WriteText(s.out, s.terminal(), all); err != nil || len(chosen) == 0 {
			return err
		}
		fmt.Fprint(s.out, "\nThese speak of it as well:\n\n")
	}
	if len(chosen) == 1 {
		fmt.Fprintln(s.out, chosen[0].name)
	}
	return listText(s.out, s.terminal(), chosen)
}

// noName is said of a word that only texts have. It may be a name with a letter wrong.
func noName(program, word string) string {
	if mention.IsNumber(word) {
		return fmt.Sprintf("Nothing is called %q. These speak of it:", word)
	}
	text := strings.TrimPrefix(explain.Unknown(program, word, sectionNames()...).Error(), "n")
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
	Mentioned map[string][]entry `json:"mentioned,omitempty"`
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

func listed(chosen []section) map[string][]entry {
	all := map[string][]entry{}
	for _, sec := range chosen {
		all[sec.name] = sec.entries()
	}
	return all
}

func writeJSON(w io.Writer, object any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(object)
}

// listText writes lists with one line for each name, so that other programs can read them.
// On a terminal a line that is too long goes on below its text.
func listText(w io.Writer, o report.Terminal, chosen []section) error {
	if o.Width > 0 {
		return listWrapped(w, o, chosen)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, sec := range chosen {
		if len(chosen) > 1 {
			if i > 0 {
				fmt.Fprintln(t)
			}
			fmt.Fprintf(t, "%s\n", sec.name)
		}
		for _, e := range sec.entries() {
			fmt.Fprintf(t, "  %s\t%s\n", e.Name, e.About)
		}
	}
	return t.Flush()
}

func listWrapped(w io.Writer, o report.Terminal, chosen []section) error {
	b := bufio.NewWriter(w)
	for i, sec := range chosen {
		if len(chosen) > 1 {
			if i > 0 {
				fmt.Fprintln(b)
			}
			fmt.Fprintln(b, sec.name)
		}
		entries, column := sec.entries(), 0
		for _, e := range entries {
			column = max(column, len(e.Name))
		}
		column = min(column, o.Width/3)
		indent := column + 4
		for _, e := range entries {
			fmt.Fprintf(b, "  %-*s  ", column, e.Name)
			if len(e.Name) > column {
				fmt.Fprint(b, "\n"+strings.Repeat(" ", indent))
			}
			fmt.Fprintln(b, o.Wrap(e.About, indent))
		}
	}
	return b.Flush()
}
