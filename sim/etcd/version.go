package etcd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/release"
)

// change is something that releases brought, with the values that options have
// from then on. Read in the sources of each tag.
type change struct {
	since    release.Since
	settings []option.Setting
}

// oldest is what 3.4.0 had where it is not the first value of an option.
var oldest = option.Settings("chan-buf=1024")

// changes are all that is known, in the order in which they came. No patch number
// of a fix stands anywhere else.
var changes = []change{
	{release.SinceAll("3.4.10"), option.Settings("chan-buf=128")},
	// Progress requests go through the watch channel.
	{release.SinceAll("3.4.25", "3.5.8"), option.Settings("progress=deferred", "notify-min-rev=always")},
	// Progress requests are no longer deferred.
	{release.SinceAll("3.4.31", "3.5.13"), option.Settings("progress=dropped", "compacted-unsynced=skipped")},
	// The revision does not go back after a crash.
	{release.SinceAll("3.4.32", "3.5.14"), option.Settings("restore-revision=from-scheduled-compaction")},
	// Tombstones at the compacted revision stay, and survive a restart.
	{release.SinceAll("3.4.34", "3.5.16"), option.Settings("compact-tombstone=kept")},
	{release.SinceAll("3.4.36", "3.5.18"), option.Settings("restore-tombstone=indexed")},
	// Watches from a future revision.
	{release.SinceAll("3.4.38", "3.5.22", "3.6.2"), option.Settings("progress=dropped-below-start", "sync-min-rev=never-lowered", "create-at-zero=passed-through")},
	// Watches from a negative revision.
	{release.SinceAll("3.4.38", "3.5.24", "3.6.6"), option.Settings("negative-start=refused")},
}

// newest are the newest releases known, one for each branch, the oldest branch
// first.
var newest = release.SinceAll("3.4.45", "3.5.35", "3.6.16", "3.7.3")

// Release is a release from 3.4.0 to 3.7.x as a preset, "3.5.7" or "v3.5.7". Any
// patch number is accepted: one that is not out yet behaves as the newest of its
// branch. The error for anything else names the nearest version.
func Release(version string) (option.Preset, error) {
	v, err := release.Parse(version)
	if err != nil || v.Pre || branchOf(v) < 0 {
		return option.Preset{}, fmt.Errorf("etcd: unknown version %q: %s.0 to %s.x are known, the nearest is %s",
			version, newest[0].Branch(), newest[len(newest)-1].Branch(), nearest(version))
	}
	return preset(v), nil
}

func preset(v release.Version) option.Preset {
	p := option.Preset{Name: "etcd " + v.String(), Settings: slices.Clone(oldest)}
	for _, c := range changes {
		if c.since.Includes(v) {
			p.Settings = append(p.Settings, c.settings...)
		}
	}
	return p
}

// OptionsOf are the options of a release. It returns an error if Release does.
func OptionsOf(version string) (Options, error) {
	var o Options
	p, err := Release(version)
	if err != nil {
		return o, err
	}
	return o, Group.Apply(&o, &p)
}

// FixedIn are the releases that brought the next value of an option, nil if no
// release has another one.
func FixedIn(name, value string) release.Since {
	passed := isFirst(name, value)
	for _, c := range changes {
		for _, s := range c.settings {
			switch {
			case s.Name != name:
			case passed:
				return c.since
			case s.Value == value:
				passed = true
			}
		}
	}
	return nil
}

func isFirst(name, value string) bool {
	o, err := Group.Find(name)
	return err == nil && len(o.Values()) > 0 && o.Values()[0].Name == value
}

// Versions lists the last release of each behaviour on each branch, so that the
// newest of the branch is among them.
func Versions() []string {
	var all []string
	for _, last := range newest {
		v := last
		for v.Patch = 0; v.Before(last); v.Patch++ {
			next := v
			next.Patch++
			if !sameChoices(v, next) {
				all = append(all, v.String())
			}
		}
		all = append(all, last.String())
	}
	return all
}

// Branches lists all releases that are known, the oldest branch first.
func Branches() [][]release.Version {
	all := make([][]release.Version, len(newest))
	for i, last := range newest {
		for patch := range last.Patch + 1 {
			all[i] = append(all[i], release.Version{Major: last.Major, Minor: last.Minor, Patch: patch})
		}
	}
	return all
}

// sameChoices reports whether two releases behave the same, amounts aside.
func sameChoices(a, b release.Version) bool {
	x, _ := OptionsOf(a.String())
	y, _ := OptionsOf(b.String())
	return !slices.ContainsFunc(Choices, func(c option.Option[Options]) bool { return c.Get(&x) != c.Get(&y) })
}

// branchOf is the place of a release's branch in newest, -1 if it is not known.
func branchOf(v release.Version) int {
	for i, last := range newest {
		if last.SameBranch(v) {
			return i
		}
	}
	return -1
}

// nearest is the release that comes next to what a text says.
func nearest(text string) string {
	for _, last := range newest {
		if rest, ok := strings.CutPrefix(text, last.Branch()); ok && (rest == "" || rest[0] == '.') {
			return last.String()
		}
	}
	if v, err := release.Parse(text); err == nil && newest[len(newest)-1].Before(v) {
		return newest[len(newest)-1].String()
	}
	return Versions()[0]
}
