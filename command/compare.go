package command

import (
	"cmp"
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
Each scenario runs with A, then with B: what Ctrl-C leaves is compared.
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

// side is one of the things that are compared: saved, or to be run.
type side struct {
	name string
	of   matrix.Side
	// settings are those that the name has on top of a design or a release.
	settings []option.Setting
	saved    *matrix.Catalogue
	// file is where that was read.
	file string
}

func isSaved(s *side) bool { return s.saved != nil }

func (f *compareFlags) compare(ctx context.Context, s process, args []string) error {
	chosen, err := f.check()
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
		sides = append(sides, &side{name: "now"})
	}
	if err := f.refuse(sides, chosen); err != nil {
		return err
	}
	live := newProgress(s, 0, 0)
	cfg, err := f.config(s, live, sides, chosen)
	if err != nil {
		return err
	}
	for _, one := range sides {
		noteUnreleased(s, one.of.Etcd, "")
	}
	if err := f.explore(ctx, s, live, cfg, sides); err != nil {
		return err
	}
	var found report.Compared
	if len(sides) == 1 {
		found = matrix.AsKnown(s.program, sides[0].saved)
	} else {
		found = matrix.Differ(s.program, sides[0].saved, sides[1].saved)
	}
	if f.json {
		err = report.WriteJSON(s.out, found)
	} else {
		err = report.WriteCompared(s.out, s.terminal(), found)
	}
	return errors.Join(Exit(found.Verdict()), err)
}

// check completes the flags, and refuses what is not there.
func (f *compareFlags) check() ([]*testbed.Scenario, error) {
	var chosen []*testbed.Scenario
	for _, name := range f.scenarios {
		sc, err := testbed.FindScenario(name)
		if err != nil {
			return nil, usage("--scenarios: %w", err)
		}
		if slices.Contains(chosen, sc) {
			return nil, usage("--scenarios: %s is there twice", name)
		}
		chosen = append(chosen, sc)
	}
	settings, err := parseSettings(f.set)
	if err != nil {
		return nil, err
	}
	var p testbed.Params
	for _, set := range settings {
		if slices.Contains(sideOptions, set.Name) {
			return nil, usage("--set %s: give --%s %s", set, set.Name, set.Value)
		}
		if err := p.Set(set.Name, set.Value); err != nil {
			return nil, usage("--set %s: %w", set, err)
		}
	}
	for _, set := range []struct{ name, value string }{{"etcd", f.etcd}, {"cache", f.cache}} {
		if set.value == "" {
			continue
		}
		if err := p.Set(set.name, set.value); err != nil {
			return nil, usage("--%s: %w", set.name, err)
		}
	}
	return chosen, f.checkCampaigns()
}

const comparedKinds = "compare takes a cache design, a release of etcd or a saved file"

// sideOptions are those that a side has by its name or by a flag.
var sideOptions = []string{"etcd", "cache"}

// sideOf finds out what a name stands for.
func sideOf(program, name string) (*side, error) {
	bare, _, _ := strings.Cut(name, "+")
	var p testbed.Params
	_, notFile := os.Stat(name)
	switch {
	case p.Set("cache", bare) == nil:
		v, err := matrix.VariantOf("cache", name, sideOptions)
		return &side{name: name, of: matrix.Side{Design: v.Name}, settings: v.Settings}, err
	case bare != "" && p.Set("etcd", bare) == nil:
		v, err := matrix.VariantOf("etcd", name, sideOptions)
		if p.Program == "" {
			name = "etcd " + name
		}
		return &side{name: name, of: matrix.Side{Etcd: v.Name}, settings: v.Settings}, err
	case notFile == nil:
		return savedSide(name)
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

func savedSide(name string) (*side, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, usage("cannot read %s: %w", name, withoutPath(err))
	}
	defer file.Close()
	saved, err := matrix.Read(file)
	if err != nil {
		return nil, usage("%s: %w", name, withoutPath(err))
	}
	return &side{name: filepath.Base(name), of: saved.Side, saved: saved, file: name}, nil
}

// refuse refuses flags and sides that do not fit together.
func (f *compareFlags) refuse(sides []*side, chosen []*testbed.Scenario) error {
	i := slices.IndexFunc(sides, isSaved)
	toRun := slices.DeleteFunc(slices.Clone(sides), isSaved)
	switch {
	case f.save != "" && len(toRun) != 1:
		return usage("--save writes one side, and %d are run: give one design or version", len(toRun))
	case i >= 0 && sameFile(sides[i].file, f.save):
		return usage("--save %s would replace the file that is compared with: name another file", f.save)
	case len(toRun) == 0 && (f.given() || f.seeds != "" || f.limit != 0 || len(chosen) > 0):
		return usage("both are saved files, and nothing is run: leave out the other flags")
	case len(toRun) == 2 && (toRun[0].of.Etcd == "") != (toRun[1].of.Etcd == ""):
		return usage("%s and %s are a design and a version; give two of one kind, and --etcd or --cache for the other", toRun[0].name, toRun[1].name)
	case len(toRun) == 2 && toRun[0].name == toRun[1].name:
		return usage("%s is there twice", sides[0].name)
	}
	return nil
}

// config completes the sides that are to be run, and says how: what the flags leave open as a saved side has it.
func (f *compareFlags) config(s process, live *progress, sides []*side, chosen []*testbed.Scenario) (matrix.Sides, error) {
	cfg := matrix.Sides{Tool: s.tool(), Scenarios: chosen, Campaigns: f.campaigns(live)}
	var saved *side
	if i := slices.IndexFunc(sides, isSaved); i >= 0 {
		saved = sides[i]
	}
	if saved != nil && f.seeds == "" && f.limit == 0 {
		cfg.FirstSeed, cfg.Seeds = saved.saved.FirstSeed, saved.saved.Seeds
	}
	if cfg.Seeds == 0 && f.limit == 0 {
		return cfg, usage("%s has no number of seeds: give --seeds or --for", saved.name)
	}
	if saved != nil && len(chosen) == 0 {
		for _, r := range saved.saved.Runs {
			if sc, err := testbed.FindScenario(r.Scenario); err == nil {
				cfg.Scenarios = append(cfg.Scenarios, sc)
			}
		}
		if len(cfg.Scenarios) == 0 {
			return cfg, usage("%s has no scenario that is in the catalogue", saved.name)
		}
	}
	for _, one := range sides {
		if isSaved(one) {
			continue
		}
		if err := f.complete(one, saved); err != nil {
			return cfg, err
		}
	}
	return cfg, nil
}

// complete gives a side what the flags say, and what it leaves open as a saved file has it.
func (f *compareFlags) complete(one, saved *side) error {
	for _, set := range []struct {
		flag, value string
		of          *string
	}{{"--etcd", f.etcd, &one.of.Etcd}, {"--cache", f.cache, &one.of.Design}} {
		if set.value != "" && *set.of != "" {
			return usage("%s %s: %s sets that itself", set.flag, set.value, one.name)
		}
		*set.of += set.value
	}
	given, err := parseSettings(f.set)
	if err != nil {
		return err
	}
	if saved != nil {
		was := saved.of
		one.of.Etcd = cmp.Or(one.of.Etcd, was.Etcd)
		one.of.Design = cmp.Or(one.of.Design, was.Design)
		if len(f.set) == 0 {
			if given, err = leftOpen(was.Settings, one.settings); err != nil {
				return usage("%s: %w", saved.name, err)
			}
		}
	}
	settings, err := matrix.JoinVariant(one.name, given, one.settings)
	if err != nil {
		return usage("%w", err)
	}
	for _, set := range settings {
		one.of.Settings = append(one.of.Settings, set.String())
	}
	return nil
}

// leftOpen are the saved settings of the options that a variant does not set.
func leftOpen(saved []string, set []option.Setting) ([]option.Setting, error) {
	var open []option.Setting
	for _, text := range saved {
		was, err := option.ParseSetting(text)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(set, func(s option.Setting) bool { return s.Name == was.Name }) {
			open = append(open, was)
		}
	}
	return open, nil
}

// explore runs the sides that were not saved, and keeps what --save asks for. What is
// wrong with the settings of a saved file is an error of that file.
func (f *compareFlags) explore(ctx context.Context, s process, live *progress, cfg matrix.Sides, sides []*side) error {
	var toRun []*matrix.Catalogue
	for _, one := range sides {
		if isSaved(one) {
			continue
		}
		var p testbed.Params
		if err := one.of.Apply(&p); err != nil {
			return usage("%s: %w", one.name, err)
		}
		one.saved = &matrix.Catalogue{Name: one.name, Side: one.of}
		toRun = append(toRun, one.saved)
	}
	err := cfg.Fill(ctx, toRun...)
	live.end()
	if err != nil {
		return &exitError{exitNoVerdict, err}
	}
	for _, one := range sides {
		one.saved.Name = one.name
	}
	switch {
	case f.save == "":
		return nil
	case toRun[0].Interrupted:
		s.complain("interrupted: nothing is saved to %s", f.save)
		return nil
	}
	return s.writeFile("save", f.save, func(w io.Writer) error { return report.WriteJSON(w, toRun[0]) })
}
