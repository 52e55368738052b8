package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

type flags struct {
	pkg    string
	n      int
	budget time.Duration
	jobs   int
	again  bool
	// fresh is how many mutants a new sample has.
	fresh int
	only  string
	// campaigns are parts of the names of those that run, between commas.
	campaigns string
	list      bool
	table     bool
	// searches: rows of the table of proofs are searched, in the place of campaigns.
	searches bool
	// largest is how many states a row has at most.
	largest int
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == attempted {
		if err := attempt(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "attempt:", err)
			os.Exit(1)
		}
		return
	}
	var f flags
	flag.StringVar(&f.pkg, "package", "", "mutate only these packages, paths below the module, comma separated")
	flag.IntVar(&f.n, "n", 0, "how many mutants of each package, instead of those in targets.go")
	flag.DurationVar(&f.budget, "budget", 20*time.Second, "processor time for a mutant")
	flag.IntVar(&f.jobs, "jobs", 1, "how many mutants run at the same time")
	flag.BoolVar(&f.again, "again", false, "run again all that have a result: those are told that were killed before and survive now")
	flag.IntVar(&f.fresh, "fresh", 0, "draw a new sample of so many mutants of simulated packages that were never run, run it, and keep its score")
	flag.StringVar(&f.only, "only", "", "run the mutants with these names again, comma separated, and print their changes")
	flag.StringVar(&f.campaigns, "campaigns", "", "run only the campaigns whose names contain one of these, comma separated; what survives them is not kept as a result")
	flag.BoolVar(&f.list, "list", false, "print the mutants and run none")
	flag.BoolVar(&f.table, "table", false, "print the survivors and run none; with -searches, print which row finds which mutant")
	flag.BoolVar(&f.searches, "searches", false, "search the small rows of proofs with a sample of the mutants that campaigns kill, and keep which row finds which; -n is the size of the sample")
	flag.IntVar(&f.largest, "largest", largestRow, "with -searches: how many states a row has at most")
	flag.Parse()
	if err := run(&f); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(f *flags) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	if f.searches {
		return searchAll(f, root)
	}
	targets, err := f.targets()
	if err != nil {
		return err
	}
	results, err := readResults(filepath.Join(root, resultsFile))
	if err != nil {
		return err
	}
	samples, err := readSamples(root)
	if err != nil {
		return err
	}
	number := 0
	if f.fresh > 0 {
		number, targets = len(samples)+1, freshTargets(targets, f.fresh)
	}
	all, err := Choose(root, targets, results, number)
	if err != nil {
		return err
	}
	fresh := slices.DeleteFunc(slices.Clone(all), func(m *Mutant) bool { return number == 0 || results[m.ID()] != nil })
	switch {
	case f.list:
		listed := all
		if number > 0 {
			listed = fresh
		}
		for _, m := range listed {
			fmt.Printf("%s %s/%s:%d %s %s: %s => %s\n", m.ID(), m.Package, m.File, m.Line, m.Function, m.Operator, m.Before, m.After)
		}
		return nil
	case f.table:
		return printTable(root, all, results, samples)
	}
	if err := runAll(f, root, all, results); err != nil {
		return err
	}
	if number > 0 {
		return keepSample(root, fresh, results)
	}
	fmt.Println(scoreOf(all, results, nil))
	return nil
}

// targets are those that were asked for.
func (f *flags) targets() ([]Target, error) {
	targets := slices.Clone(Targets)
	if f.pkg != "" {
		packages := strings.Split(f.pkg, ",")
		targets = slices.DeleteFunc(targets, func(t Target) bool { return !slices.Contains(packages, t.Package) })
		if len(targets) == 0 {
			return nil, fmt.Errorf("-package %s: want one of those in lab/mutants/targets.go", f.pkg)
		}
	}
	for i := range targets {
		if f.n != 0 {
			targets[i].Sample = f.n
		}
	}
	return targets, nil
}

// moduleRoot is the folder of the module watchbed, which has the one of this module in it.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	mod := strings.TrimSpace(string(out))
	if !strings.HasSuffix(filepath.ToSlash(mod), "/lab/go.mod") {
		return "", errors.New("start it in the folder lab")
	}
	return filepath.Dir(filepath.Dir(mod)), nil
}
