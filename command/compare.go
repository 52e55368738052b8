package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/watchbed/watchbed/command/explain"
	"github.com/watchbed/watchbed/diagnosis/matrix"
	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/report"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

const compareHelp = `Compare runs the whole catalogue with A and with B, and prints what differs: which claims are violated with one of them
only, or in another share of the schedules, or in other ways, and which costs differ by more than a tenth.
A and B are two cache designs, two releases of etcd, or a file that --save has written: then nothing of it is run again.
A design or a release may be a variant, with options set on top of it, each behind a "+": kep-2340+progress-period=50ms.
Compiled code is named as for run: etcd@v3.5.7, cluster@v3.6.16, or kubernetes@v0.37.2+FILE.patch.

Where both violate a claim in the same way, some stories of each are told, and what happens in those of one side only is
said: the same violation has another story there.

With A alone it prints what is not as known. With a file alone, what is not as it was.

Counts of violated schedules are compared by Fisher's exact test: p is how probable counts at least as different are by chance.
Each scenario runs with A, then with B: what Ctrl-C leaves is compared. With --for B runs as many seeds as A did, in four times as long at most.
A claim that every campaign is known to violate is looked for with as many seeds again until it is, unless --for is given.
What was not run, was cut off, was never checked, or is too rare to tell is unknown, and not alike.
The exit code is 0 if all is alike (or as known), 1 if something differs (or is violated that is not known to be), and 3 if
nothing does and something is unknown.`

const compareExamples = `  PROGRAM compare 3.5.7 3.5.13
  PROGRAM compare kep-2340 v0.37.2 --etcd 3.6.16 --seeds 1000
  PROGRAM compare kep-2340 kep-2340+progress-period=50ms
  PROGRAM compare v0.37.2 --save today.json
  PROGRAM compare today.json
  PROGRAM compare today.json kep-2340 --json`

type compareFlags struct {
	runFlags
	scenarios []string
	save      string
}

func compareCommand(s process) *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:     "compare A [B]",
		Short:   "two designs, two versions, or one and a saved file: what differs",
		Long:    compareHelp,
		Example: s.named(compareExamples),
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usage("compare what? (%s list cache, %s list etcd, or a saved file)", s.program, s.program)
			case len(args) > 2:
				return usage("two at a time, and not also %q", args[2])
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.compare(c.Context(), s, args) },
	}
	c.Flags().StringVar(&f.etcd, "etcd", "", "version of etcd for both (default: each scenario's)")
	c.Flags().StringVar(&f.cache, "cache", "", "design of the cache for both (default: each scenario's)")
	c.Flags().StringArrayVar(&f.set, "set", nil, "set an option for both, NAME=VALUE; may be repeated ("+s.program+" list options)")
	c.Flags().StringSliceVar(&f.scenarios, "scenarios", nil, "only these scenarios, comma separated (default: the whole catalogue)")
	f.addCampaigns(c, ", or those of a saved file")
	c.Flags().StringVar(&f.save, "save", "", "write what was run to this file, to compare with it later; it replaces another one, but not the one that is compared with (-: standard output)")
	return c
}

// side is one of the columns that are compared: saved, or to be run.
type side struct {
	*matrix.Column
	// set is what the name stands for: a design or a release first.
	set []option.Setting
	// saved is nil for a column that is to be run; file is where the other was read.
	saved *matrix.Saved
	file  string
}

func isSaved(s *side) bool { return s.saved != nil }

func (f *compareFlags) compare(ctx context.Context, s process, args []string) error {
	given, err := f.check()
	if err != nil {
		return err
	}
	var sides []*side
	for _, name := range args {
		one, err := sideOf(s.program, name)
		if err != nil {
			return err
		}
		sides = append(sides, one)
	}
	if len(sides) == 1 && isSaved(sides[0]) {
		// What was saved, with the program of today.
		sides = append(sides, &side{Column: &matrix.Column{Name: "now"}})
	}
	if err := f.refuse(sides); err != nil {
		return err
	}
	if err := f.explore(ctx, s, sides, given); err != nil {
		return err
	}
	var columns []*matrix.Column
	for _, one := range sides {
		columns = append(columns, one.Column)
	}
	found := matrix.Differ(columns...)
	if f.json {
		err = report.WriteJSON(s.out, found)
	} else {
		err = report.WriteCompared(s.out, s.terminal(), found)
	}
	return errors.Join(Exit(found.Verdict()), err)
}

// check completes the flags, and refuses what is not there. It returns what is set for both sides.
func (f *compareFlags) check() ([]option.Setting, error) {
	for i, name := range f.scenarios {
		if _, err := testbed.FindScenario(name); err != nil {
			return nil, usage("--scenarios: %w", err)
		}
		if slices.Contains(f.scenarios[:i], name) {
			return nil, usage("--scenarios: %s is there twice", name)
		}
	}
	given, err := parseSettings(f.set)
	if err != nil {
		return nil, err
	}
	for _, flag := range []option.Setting{{Name: "etcd", Value: f.etcd}, {Name: "cache", Value: f.cache}} {
		if flag.Value != "" {
			given = append(given, flag)
		}
	}
	var p testbed.Params
	for i, set := range given {
		flag := "--set " + set.String()
		if i >= len(f.set) {
			flag = "--" + set.Name
		}
		if err := p.Set(set.Name, set.Value); err != nil {
			return nil, usage("%s: %w", flag, err)
		}
	}
	return given, f.checkCampaigns()
}

const comparedKinds = "compare takes a cache design, a release of etcd or a saved file"

// sideOf finds out what a name stands for.
func sideOf(program, name string) (*side, error) {
	bare, _, _ := strings.Cut(name, "+")
	var p testbed.Params
	_, notFile := os.Stat(name)
	switch {
	case p.Set("cache", bare) == nil:
		set, err := matrix.VariantOf("cache", name)
		return &side{Column: &matrix.Column{Name: name}, set: set}, err
	case bare != "" && p.Set("etcd", bare) == nil:
		set, err := matrix.VariantOf("etcd", name)
		if p.Program == "" {
			name = "etcd " + name
		}
		return &side{Column: &matrix.Column{Name: name}, set: set}, err
	case notFile == nil:
		return savedSide(program, name)
	case filepath.Ext(name) == ".json" || strings.ContainsRune(name, filepath.Separator):
		return nil, usage("cannot read %s: %w", name, withoutPath(notFile))
	}
	if what := explain.Misnamed(bare); what != "" {
		return nil, usage("%s, and %q is %s%s", comparedKinds, bare, what, designLike(bare))
	}
	return nil, usage("%s: %w", comparedKinds, explain.Unknown(program, bare))
}

// designLike is the end of an error about a name that is like that of a design, empty if there is none.
func designLike(name string) string {
	var designs []string
	for _, d := range cache.Designs() {
		designs = append(designs, d.Name)
	}
	if near := registry.Nearest(name, designs); len(near) > 0 {
		return fmt.Sprintf("; did you mean the design %q?", near[0])
	}
	return ""
}

func savedSide(program, name string) (*side, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, usage("cannot read %s: %w", name, withoutPath(err))
	}
	defer file.Close()
	saved, err := matrix.Read(file, program)
	if err != nil {
		return nil, usage("%s: %w", name, withoutPath(err))
	}
	saved.Name = filepath.Base(name)
	return &side{Column: saved.Column, saved: saved, file: name}, nil
}

// refuse refuses flags and sides that do not fit together.
func (f *compareFlags) refuse(sides []*side) error {
	i := slices.IndexFunc(sides, isSaved)
	toRun := slices.DeleteFunc(slices.Clone(sides), isSaved)
	switch {
	case f.save != "" && len(toRun) != 1:
		return usage("--save writes one side, and %d are run: give one design or version", len(toRun))
	case i >= 0 && sameFile(sides[i].file, f.save):
		return usage("--save %s would replace the file that is compared with: name another file", f.save)
	case len(toRun) == 0 && (f.given() || f.seeds != "" || f.limit != 0 || len(f.scenarios) > 0):
		return usage("both are saved files, and nothing is run: leave out the other flags")
	case len(toRun) == 2 && toRun[0].set[0].Name != toRun[1].set[0].Name:
		return usage("%s and %s are a design and a version; give two of one kind, and --etcd or --cache for the other", toRun[0].Name, toRun[1].Name)
	case len(toRun) == 2 && toRun[0].Name == toRun[1].Name:
		return usage("%s is there twice", sides[0].Name)
	}
	return nil
}

// explore runs the sides that were not saved, and keeps what --save asks for. What the names and the flags leave open
// is as a saved side has it.
func (f *compareFlags) explore(ctx context.Context, s process, sides []*side, given []option.Setting) error {
	live := newProgress(s, 0, 0)
	as, open, scenarios := f.campaigns(s, live), []option.Setting{}, f.scenarios
	if i := slices.IndexFunc(sides, isSaved); i >= 0 {
		was := sides[i].saved
		open = was.Side.List()
		if f.seeds == "" && f.limit == 0 {
			as.FirstSeed, as.Seeds = was.FirstSeed, was.Seeds
		}
		for _, r := range was.Runs {
			if _, err := testbed.FindScenario(r.Scenario); err == nil && len(f.scenarios) == 0 {
				scenarios = append(scenarios, r.Scenario)
			}
		}
		if len(scenarios) == 0 {
			return usage("%s has no scenario that is in the catalogue", was.Name)
		}
	}
	var toRun []*matrix.Column
	for _, one := range sides {
		if isSaved(one) {
			continue
		}
		own := slices.Concat(given, one.set)
		left := slices.DeleteFunc(slices.Clone(open), func(was option.Setting) bool {
			_, set := option.ValueIn(own, was.Name)
			return set
		})
		var err error
		if one.Side, err = matrix.SideOf(one.Name, left, own); err != nil {
			return usage("%w", err)
		}
		if err := one.Side.Apply(new(testbed.Params)); err != nil {
			return usage("%s: %w", one.Name, err)
		}
		noteUnreleased(s, one.Side.Etcd, "")
		toRun = append(toRun, one.Column)
	}
	if len(toRun) == 0 {
		return nil
	}
	if as.Seeds == 0 && f.limit == 0 {
		return usage("%s has no number of seeds: give --seeds or --for", sides[0].Name)
	}
	err := matrix.Fill(ctx, as, scenarios, toRun...)
	live.end()
	switch {
	case err != nil:
		return &exitError{exitNoVerdict, err}
	case f.save == "":
		return nil
	case toRun[0].Interrupted:
		s.complain("interrupted: nothing is saved to %s", f.save)
		return nil
	}
	return s.writeFile("save", f.save, func(w io.Writer) error { return report.WriteJSON(w, toRun[0].Save(s.tool(), as)) })
}
