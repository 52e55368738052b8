package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/watchbed/watchbed/diagnosis/matrix"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/report"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
)

// matrixVersions are the newest release of each branch from 3.4 on, and the ones before the
// two bugs that a cache trips over were fixed: #15220 and #17507.
var matrixVersions = slices.Insert(etcd.Newest()[1:], 1, "3.5.7", "3.5.12")

const matrixHelp = `Matrix tells, for each design of the cache on each version of etcd: is it safe, does it always answer, and what does a
consistent LIST cost? Every "no" has its reason and the command that shows it again; --json and --html have all campaigns.

A design or a version may be a variant, with options set on top of it, each behind a "+": kep-2340+progress-period=50ms,
or 3.6.16+notify=1s. It has rows and commands of its own, under that name. Compiled code is named as for run:
etcd@v3.5.7, cluster@v3.6.16, or kubernetes@v0.37.2+FILE.patch.

safe?     all that the scenarios of the matrix claim, except liveness
live?     every consistent LIST is served from the cache within a bound, once nothing breaks any more, and initial events
          end. A LIST that waits in vain and is then answered by etcd is a no.
wait p99  what 99 of 100 consistent LISTs wait at most until the cache is fresh, while other resources are written;
          busy p99: while the resource is written, too
cached    the share of these LISTs that the cache served; the others went to etcd or were refused
requests, bytes, progress
          ranges of etcd, bytes of keys and values in its answers, and progress requests, for each LIST
(pages)   the same of LISTs in pages, for each page
write p99, tries, write bytes
          what 99 of 100 updates of one object by sixteen clients take at most, transactions for each, and bytes of
          objects in etcd's answers; left out if no row differs by more than a tenth from the first one

A "yes" means: in all schedules that were tried, and checked at least once. "except race R1": without a race that
every release of etcd has; its number stands below the table. Each scenario that is known to be violated with a design, and not
with kep-2340 on the same version, is asked of that design, too. Time is virtual: unless --set says otherwise, a message
takes up to 1 ms, a loop up to 0.5 ms to be scheduled, and answering takes no time (range-time, item-time).

The exit code is 0 if all is safe and live, 1 if anything is violated, and 3 if nothing is and something is unknown or was
never checked. Versions and designs that are known to be bad are violations too: with --expect the code is 0 if
every outcome is the one that the catalogue expects.`

const matrixExamples = `  PROGRAM matrix
  PROGRAM matrix --designs kep-2340,draft-2019 --etcd 3.5.13,3.6.16 --html matrix.html
  PROGRAM matrix --designs kep-2340,kep-2340+progress-period=50ms --etcd 3.6.16
  PROGRAM matrix --designs kep-2340,direct --set network=5ms --set item-time=20us
  PROGRAM matrix --for 5m --json`

type matrixFlags struct {
	designs, versions []string
	runFlags
}

func matrixCommand(s process) *cobra.Command {
	var f matrixFlags
	c := &cobra.Command{
		Use:     "matrix",
		Short:   "designs x etcd versions: safe? live? cost?",
		Long:    matrixHelp,
		Example: s.named(matrixExamples),
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return f.matrix(c.Context(), s) },
	}
	c.Flags().StringSliceVar(&f.designs, "designs", nil, "designs of the cache, comma separated (default: all; "+s.program+" list cache)")
	c.Flags().StringSliceVar(&f.versions, "etcd", nil, "versions of etcd, comma separated (default: "+strings.Join(matrixVersions, ",")+")")
	c.Flags().StringArrayVar(&f.set, "set", nil, "set an option in all campaigns, NAME=VALUE, such as network=5ms; may be repeated ("+s.program+" list options)")
	f.addCampaigns(c, "")
	c.Flags().StringVar(&f.html, "html", "", "write a page to this file (-: standard output)")
	c.Flags().BoolVar(&f.expect, "expect", false, "exit 0 if every outcome is the one that the catalogue expects")
	return c
}

func (f *matrixFlags) matrix(ctx context.Context, s process) error {
	set, err := f.check()
	if err != nil {
		return err
	}
	for _, version := range f.versions {
		name, _, _ := strings.Cut(version, "+")
		noteUnreleased(s, name, "")
	}
	live := newProgress(s, 0, 0)
	cfg := matrix.Config{Designs: f.designs, Versions: f.versions, Params: set, Campaigns: f.campaigns(s, live)}
	if err := cfg.Check(); err != nil {
		if len(set) == 0 {
			return usage("%w", err)
		}
		return usage("--set: %w", err)
	}
	m, err := matrix.Explore(ctx, cfg)
	live.end()
	if err != nil {
		return &exitError{exitNoVerdict, err}
	}
	var page error
	if f.html != "" {
		page = s.writeFile("html", f.html, func(w io.Writer) error { return report.WriteMatrixHTML(w, m) })
	}
	if f.json {
		err = report.WriteJSON(s.out, m)
	} else {
		err = report.WriteMatrix(s.out, s.terminal(), m)
	}
	return errors.Join(f.outcome(s, m), err, page)
}

// check completes the flags, and refuses what is not there. It returns what is set in all cells.
func (f *matrixFlags) check() ([]option.Setting, error) {
	if len(f.designs) == 0 {
		for _, d := range cache.Designs() {
			f.designs = append(f.designs, d.Name)
		}
	}
	if len(f.versions) == 0 {
		f.versions = matrixVersions
	}
	for _, list := range []struct {
		flag, name string
		values     []string
	}{{"--designs", "cache", f.designs}, {"--etcd", "etcd", f.versions}} {
		for i, v := range list.values {
			if _, err := matrix.VariantOf(list.name, v); err != nil {
				return nil, usage("%s: %w", list.flag, err)
			}
			if slices.Contains(list.values[:i], v) {
				return nil, usage("%s: %s is there twice", list.flag, v)
			}
		}
	}
	settings, err := parseSettings(f.set)
	if err != nil {
		return nil, err
	}
	return settings, f.checkCampaigns()
}

// addCampaigns declares the flags of a command that runs many campaigns; seeds says which other default the number of
// seeds has.
func (f *runFlags) addCampaigns(c *cobra.Command, seeds string) {
	c.Flags().StringVar(&f.seeds, "seeds", "", fmt.Sprintf("how many seeds for each campaign, or FIRST..LAST; a tenth of them for cost (default %d%s, unless --for is given)", matrix.Seeds, seeds))
	c.Flags().DurationVar(&f.limit, "for", 0, "how long to take for everything, such as 5m; with --seeds no campaign has more than these")
	c.Flags().IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), workersHelp)
	c.Flags().BoolVar(&f.json, "json", false, jsonHelp)
}

// checkCampaigns refuses values of these flags that are none.
func (f *runFlags) checkCampaigns() error {
	if err := checkWorkers(f.workers); err != nil {
		return err
	}
	err := f.parseSeeds()
	if f.seeds == "" && f.limit == 0 {
		f.seedsCount = matrix.Seeds
	}
	return err
}

// campaigns says how they are run.
func (f *runFlags) campaigns(s process, live *progress) matrix.Campaigns {
	return matrix.Campaigns{
		Program: s.program, FirstSeed: f.first, Seeds: f.seedsCount, For: f.limit, Workers: f.workers,
		Progress: func(done, total int, what string) {
			live.line(fmt.Sprintf("%d of %d campaigns, %s", done, total, what))
		},
	}
}

// outcome is the exit code of a matrix.
func (f *matrixFlags) outcome(s process, m *matrix.Matrix) error {
	if !f.expect {
		return Exit(m.Verdict())
	}
	verdict := model.Holds
	if m.Interrupted {
		verdict = model.VerdictUnknown
	}
	for _, c := range m.Cells {
		for _, r := range slices.Concat(c.Safe.Evidence, c.Live.Evidence) {
			for _, claim := range r.Claims {
				is, text := claim.AsKnown()
				if is != model.Holds {
					text += " (" + r.Again() + ")"
				}
				if is == model.Violated || verdict == model.Holds {
					verdict = is
				}
				if text != "" {
					s.complain("%s of %s on etcd %s with %s: %s", claim.Property, r.Scenario, c.Etcd, c.Design, text)
				}
			}
		}
	}
	return Exit(verdict)
}
