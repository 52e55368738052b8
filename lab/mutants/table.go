package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// explainedFile has a line for each survivor that was looked at.
const explainedFile = "lab/mutants/explained.jsonl"

// explanation is written by a person, after looking at a survivor.
type explanation struct {
	ID string
	// Equivalent says why no run can differ. If it is empty the survivor stays open,
	// and Missing says which scenario, request or property would notice.
	Equivalent string `json:",omitempty"`
	Missing    string `json:",omitempty"`
}

func readExplanations(path string) (map[string]*explanation, error) {
	all := map[string]*explanation{}
	return all, readLines(path, func(line []byte) error {
		var e explanation
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		all[e.ID] = &e
		return nil
	})
}

// score counts mutants by what became of them.
type score struct {
	all, killed, explained, open, notRun int
	// byCoveragePoint are those of killed that only a coverage point which does not come about
	// any more has noticed.
	byCoveragePoint int
}

func scoreOf(all []*Mutant, results map[string]*result, explained map[string]*explanation) score {
	var s score
	for _, m := range all {
		s.all++
		r, e := results[m.ID()], explained[m.ID()]
		switch {
		case r == nil:
			s.notRun++
		case r.Killed != "":
			s.killed++
			if r.Killed == "coverage point" {
				s.byCoveragePoint++
			}
		case e != nil && e.Equivalent != "":
			s.explained++
		default:
			s.open++
		}
	}
	return s
}

// percent is the share of those that were run and are not equivalent.
func (s score) percent(killed int) string {
	if s.killed+s.open == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(killed)/float64(s.killed+s.open))
}

func (s score) String() string {
	return fmt.Sprintf("%d mutants: %d killed (%d of them by a coverage point only), %d explained, %d open, %d not run: %s",
		s.all, s.killed, s.byCoveragePoint, s.explained, s.open, s.notRun, s.percent(s.killed))
}

func printTable(root string, all []*Mutant, results map[string]*result, samples []*sample) error {
	explained, err := readExplanations(filepath.Join(root, explainedFile))
	if err != nil {
		return err
	}
	fmt.Print(tableOf(all, results, explained, scoreOf(all, results, explained)), freshTable(samples, explained))
	return nil
}

func tableOf(all []*Mutant, results map[string]*result, explained map[string]*explanation, s score) string {
	var out strings.Builder
	out.WriteString("# What the scenarios do not notice\n\n")
	out.WriteString("Measured by `make mutants`; package `lab/mutants` says how. A mutant is a small change of the code. It is killed if the campaigns of package\n")
	out.WriteString("`lab/mutants` notice it. A survivor is explained if no run can differ, and open otherwise. The share is of those that are not explained;\n")
	out.WriteString("the last column leaves out those that are noticed only because a coverage point does not come about any more.\n\n")
	out.WriteString("| package | mutants | killed | explained | open | not run | share | by verdicts |\n|---|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, t := range Targets {
		mine := slices.DeleteFunc(slices.Clone(all), func(m *Mutant) bool { return m.Package != t.Package })
		row(&out, t.Package, scoreOf(mine, results, explained))
	}
	row(&out, "all", s)
	out.WriteString(missingOf(all, results, explained))
	out.WriteString("\n## Survivors\n\n| survivor | where | operator | change | campaigns | status |\n|---|---|---|---|---:|---|\n")
	for _, m := range all {
		if r := results[m.ID()]; r != nil && r.Killed == "" {
			fmt.Fprintf(&out, "| %s | %s/%s %s | %s | `%s` to `%s` | %s | %s |\n", m.ID(), m.Package, m.File, m.Function, m.Operator,
				cell(m.Before), cell(m.After), reached(r), status(explained[m.ID()]))
		}
	}
	return out.String()
}

// missingOf lists what would notice the open survivors, by how many of them there are.
func missingOf(all []*Mutant, results map[string]*result, explained map[string]*explanation) string {
	count := map[string]int{}
	for _, m := range all {
		r, e := results[m.ID()], explained[m.ID()]
		switch {
		case r == nil || r.Killed != "" || e != nil && e.Equivalent != "":
		case e == nil:
			count["not looked at yet"]++
		default:
			count[e.Missing]++
		}
	}
	reasons := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(count[b]-count[a], strings.Compare(a, b))
	})
	var out strings.Builder
	out.WriteString("\n## What is missing\n\n| open | why |\n|---:|---|\n")
	for _, reason := range reasons {
		fmt.Fprintf(&out, "| %d | %s |\n", count[reason], cell(reason))
	}
	return out.String()
}

func row(out *strings.Builder, name string, s score) {
	fmt.Fprintf(out, "| %s | %d | %d | %d | %d | %d | %s | %s |\n", name, s.all, s.killed, s.explained, s.open, s.notRun, s.percent(s.killed), s.percent(s.killed-s.byCoveragePoint))
}

// reached says how many campaigns were run that call the function.
func reached(r *result) string {
	switch {
	case r.Entered == 0:
		return "none calls it"
	case !r.Reached:
		return fmt.Sprintf("%d, not reached", r.Ran)
	case r.Ran < r.Entered:
		return fmt.Sprintf("%d of %d", r.Ran, r.Entered)
	}
	return fmt.Sprint(r.Ran)
}

func status(e *explanation) string {
	switch {
	case e == nil:
		return "open"
	case e.Equivalent != "":
		return "explained: " + cell(e.Equivalent)
	}
	return "open: " + cell(e.Missing)
}

// cell escapes what ends a cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "`", "'").Replace(text)
}
