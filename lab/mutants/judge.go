package main

import (
	"slices"

	"github.com/watchbed/watchbed/explore"
)

// coverage is the kind of a mutant that is noticed by a coverage point alone: no verdict is wrong.
const coverage = "coverage point"

// Judge runs a campaign and says in which way it differs from the baseline, and by
// what; both are empty if it does not.
func Judge(c *Campaign, b *Baseline) (kind, what string) { return judge(c, b, newFindings()) }

func judge(c *Campaign, b *Baseline, f *findings) (kind, what string) {
	lost := ""
	for done := false; !done && f.schedules < b.Schedules; done = missing(f, b) == "" {
		if kind, what := f.wrong(c, b); kind != "" {
			return kind, what
		}
		for i := range b.Exercised {
			if p := &b.Exercised[i]; p.tooFew(f.exercised[p.Property]) {
				return "vacuous", p.Property
			}
		}
		for _, s := range b.CoveragePoints {
			if f.coveragePoints[s] == 0 {
				lost = s
			}
		}
	}
	// A verdict tells more than the coverage point that is lost with it.
	if p := missing(f, b); p != "" {
		return "no violation", p
	}
	if lost != "" {
		return coverage, lost
	}
	return "", ""
}

// wrong is what the next slice of schedules has shown that must not come about at all.
func (f *findings) wrong(c *Campaign, b *Baseline) (kind, what string) {
	err := f.next(c)
	unexpected := slices.IndexFunc(f.unexpected, func(p string) bool {
		return !b.Elsewhere || !slices.Contains(b.Violated, p) && f.violations[p] >= often
	})
	switch {
	case err != nil:
		return "panic", reasonOf(err)
	case unexpected >= 0:
		return "violation", f.unexpected[unexpected]
	case f.truncated > 0 && !b.Truncated:
		return "cut off", "the limit of steps"
	}
	return "", ""
}

// missing is a violation, or the cause of one, that must be found and was not yet.
func missing(f *findings, b *Baseline) string {
	if i := slices.IndexFunc(b.Expected, func(p string) bool { return f.violations[p] == 0 }); i >= 0 {
		return b.Expected[i]
	}
	if i := slices.IndexFunc(b.Labels, func(x explore.Failure) bool { return f.labels[x] == 0 }); i >= 0 {
		return b.Labels[i].String()
	}
	return ""
}
