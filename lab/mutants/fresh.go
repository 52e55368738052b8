package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// samplesFile has a line for each fresh sample, in the order in which they were drawn.
const samplesFile = "lab/mutants/fresh.jsonl"

// sample is what became of mutants that no judge, scenario or person had seen before. They are of the kept set from
// then on.
type sample struct {
	// Commit is that of the code.
	Commit  string
	Mutants int
	// Covered are the IDs of those that a missing coverage point alone has noticed, Survived of those that nothing has.
	Covered, Survived []string
}

func readSamples(root string) (all []*sample, err error) {
	return all, readLines(filepath.Join(root, samplesFile), func(line []byte) error {
		s := new(sample)
		all = append(all, s)
		return json.Unmarshal(line, s)
	})
}

// freshTargets are the simulated packages, with n mutants together.
func freshTargets(targets []Target, n int) []Target {
	var simulated []Target
	sum := 0
	for _, t := range targets {
		if strings.HasPrefix(t.Package, "sim/") {
			simulated, sum = append(simulated, t), sum+t.Sample
		}
	}
	before := 0
	for i := range simulated {
		t := &simulated[i]
		from := before * n / sum
		before += t.Sample
		t.Sample = before*n/sum - from
	}
	return simulated
}

// keepSample adds the score of a sample to the file, and prints it.
func keepSample(root string, fresh []*Mutant, results map[string]*result) error {
	commit, err := exec.Command("git", "-C", root, "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return fmt.Errorf("git rev-parse: %w", err)
	}
	s := &sample{Commit: strings.TrimSpace(string(commit)), Mutants: len(fresh)}
	for _, m := range fresh {
		switch r := results[m.ID()]; {
		case r == nil:
			return fmt.Errorf("mutant %s was not run: a sample is kept when all of it were", m.ID())
		case r.Killed == "":
			s.Survived = append(s.Survived, m.ID())
		case r.Killed == "coverage point":
			s.Covered = append(s.Covered, m.ID())
		}
	}
	fmt.Print(freshTable([]*sample{s}, nil))
	return appendLine(filepath.Join(root, samplesFile), s)
}

// freshTable prints the score of each sample by verdicts, of those that are not equivalent.
func freshTable(samples []*sample, explained map[string]*explanation) string {
	var out strings.Builder
	out.WriteString("\n## Fresh samples\n\n| commit | mutants | equivalent | noticed by a verdict | 95 % | by a coverage point alone | survive |\n|---|---:|---:|---:|---:|---:|---:|\n")
	for _, s := range samples {
		equivalent := 0
		for _, id := range append(s.Survived[:len(s.Survived):len(s.Survived)], s.Covered...) {
			if e := explained[id]; e != nil && e.Equivalent != "" {
				equivalent++
			}
		}
		n, noticed := s.Mutants-equivalent, s.Mutants-len(s.Survived)-len(s.Covered)
		low, high := wilson(noticed, n)
		fmt.Fprintf(&out, "| %s | %d | %d | %d, %.0f %% | %.0f to %.0f %% | %d | %d |\n",
			s.Commit, s.Mutants, equivalent, noticed, 100*float64(noticed)/float64(n), 100*low, 100*high, len(s.Covered), len(s.Survived))
	}
	return out.String()
}
