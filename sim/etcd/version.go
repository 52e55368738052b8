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

// oldest is what 3.3.0 had where it is not the first value of an option. Its progress
// ticker is never late, which is one of the delays that notify allows, and its period
// cannot be set: --experimental-watch-progress-notify-interval came with 3.4.11. What
// 3.3.0 alone did to watchers when it installed a snapshot, and the panic of releases
// before 3.3.8 on a watcher from a future revision, are not here.
var oldest = option.Settings("progress=ignored", "fragments=none", "watch-ids=counted", "needless-ranges=removed", "read-index-ids=reused", "refusal-reason=none",
	"chan-buf=1024", "compaction-batch=10000", "compaction-pause=100ms")

// changes are all that is known, in the order in which they came. No patch number
// of a fix stands anywhere else.
//
// A row names the first release with the change on each branch, and holds from there
// on. It holds for all of every later branch that it does not name: a fix that was
// brought to 3.5.36 alone must name the first releases of 3.6 and 3.7 too. If a row
// begins above newestKnown, raise that.
var changes = []change{
	// Progress requests and fragments, brought to 3.3 with the client of 3.4.
	{release.SinceAll("3.3.14"), option.Settings("progress=control-queue", "fragments=full")},
	{release.SinceAll("3.4.0"), option.Settings("watch-ids=as-asked", "refusal-reason=named", "compaction-batch=1000", "compaction-pause=10ms")},
	{release.SinceAll("3.3.23", "3.4.10"), option.Settings("chan-buf=128")},
	// Progress requests go through the watch channel.
	{release.SinceAll("3.4.25", "3.5.8"), option.Settings("progress=deferred", "notify-min-rev=always")},
	// Progress requests are no longer deferred.
	{release.SinceAll("3.4.31", "3.5.13"), option.Settings("progress=dropped", "compacted-unsynced=skipped")},
	// syncWatchers keeps the history that it has read for its next turn.
	{release.SinceAll("3.6.0"), option.Settings("sync-history=kept")},
	// The revision does not go back after a crash.
	{release.SinceAll("3.4.32", "3.5.14"), option.Settings("restore-revision=from-scheduled-compaction")},
	// LeaseTimeToLive asks whether the member still leads.
	{release.SinceAll("3.4.32", "3.5.14"), option.Settings("lease-time-left=of-leader")},
	// Tombstones at the compacted revision stay, and survive a restart. A key that is put again at that revision is
	// lost (etcd-io/etcd#18274, bbdc9418).
	{release.SinceAll("3.4.34", "3.5.16"), option.Settings("compact-tombstone=kept", "compact-recreated=lost")},
	{release.SinceAll("3.4.36", "3.5.18"), option.Settings("restore-tombstone=indexed")},
	// Watches from a future revision.
	{release.SinceAll("3.4.38", "3.5.22", "3.6.2"), option.Settings("progress=dropped-below-start", "sync-min-rev=never-lowered", "create-at-zero=passed-through")},
	// Watches from a negative revision.
	{release.SinceAll("3.4.38", "3.5.24", "3.6.6"), option.Settings("negative-start=refused")},
	// What syncWatchers keeps went with 3.6.9 and 3.7.0-beta.0 (etcd-io/etcd d131ca7a). With
	// watches from 0 on it makes no difference, so that 3.6.6 to 3.6.8 are no releases of
	// their own here.
	{release.SinceAll("3.6.6"), option.Settings("sync-history=read-anew")},
	// A ReadIndex that is repeated has an id of its own (etcd-io/etcd#21399).
	{release.SinceAll("3.4.42", "3.5.28", "3.6.9"), option.Settings("read-index-ids=fresh")},
	// A Range may be answered in chunks (KEP-5966).
	{release.SinceAll("3.7.0"), option.Settings("range-stream=served")},
	// A Range without values reads the index alone (etcd-io/etcd#21791).
	{release.SinceAll("3.7.0"), option.Settings("keys-only=from-index")},
	// A member that does not answer a transaction looks at its ranges all the same (etcd-io/etcd#21432).
	{release.SinceAll("3.7.0"), option.Settings("needless-ranges=checked")},
	// #20589, the feature gate FastLeaseKeepAlive.
	{release.SinceAll("3.7.0"), option.Settings("lease-renewal-waits=unknown")},
}

// newestKnown are the newest releases that are known, one for each branch, the oldest
// branch first. Lists, tests and the words about releases go no further: a row of
// changes that begins above one of them is in force and in no list, so raise both.
var newestKnown = release.SinceAll("3.3.27", "3.4.45", "3.5.35", "3.6.16", "3.7.3")

// Release is a release from 3.3.0 to 3.7.x as a preset, "3.5.7" or "v3.5.7". Any
// patch number is accepted: an unreleased one behaves as the newest known release of its
// branch. The error for anything else names the nearest version.
func Release(version string) (option.Preset, error) {
	v, err := release.Parse(version)
	if err != nil || v.Pre || branchOf(v) < 0 {
		return option.Preset{}, fmt.Errorf("etcd: unknown version %q: %s.0 to %s.x are known, the nearest is %s",
			version, newestKnown[0].Branch(), newestKnown[len(newestKnown)-1].Branch(), nearest(version))
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
	v, err := release.Parse(version)
	if branch := branchOf(v); err == nil && !v.Pre && branch >= 0 && v.Patch < len(known[branch]) {
		return *known[branch][v.Patch], nil
	}
	p, err := Release(version)
	if err != nil {
		return Options{}, err
	}
	return made(&p)
}

func made(p *option.Preset) (o Options, err error) {
	err = Group.Apply(&o, p)
	return o, err
}

// known are the options of all known releases, by branch and patch number. What looks for the setting that decides
// asks for hundreds, and most releases brought no change: they share theirs.
var known = func() [][]*Options {
	all := make([][]*Options, len(newestKnown))
	for i, branch := range Branches() {
		for _, v := range branch {
			if v.Patch == 0 || changedIn(v) {
				p := preset(v)
				o, err := made(&p)
				if err != nil {
					panic("etcd: " + err.Error())
				}
				all[i] = append(all[i], &o)
				continue
			}
			all[i] = append(all[i], all[i][v.Patch-1])
		}
	}
	return all
}()

// changedIn reports whether a release brought a change.
func changedIn(v release.Version) bool {
	before := v
	before.Patch--
	return slices.ContainsFunc(changes, func(c change) bool { return c.since.Includes(v) != c.since.Includes(before) })
}

// FixedIn are the releases that brought the next value of an option, nil if no
// release has another one.
func FixedIn(name, value string) release.Since {
	has := first(name)
	for _, c := range changes {
		for _, s := range c.settings {
			switch {
			case s.Name != name:
			case has == value:
				return c.since
			default:
				has = s.Value
			}
		}
	}
	return nil
}

// first is the value that the oldest release has, empty if it is an amount.
func first(name string) string {
	if value, given := option.ValueIn(oldest, name); given {
		return value
	}
	if o, err := Group.Find(name); err == nil && len(o.Values()) > 0 {
		return o.Values()[0].Name
	}
	return ""
}

// Versions lists the last release of each behaviour on each branch, so that the
// newest of the branch is among them.
func Versions() []string {
	var all []string
	for _, last := range newestKnown {
		v := last
		for v.Patch = 0; v.Before(last); v.Patch++ {
			next := v
			next.Patch++
			if changedIn(next) && !sameChoices(v, next) {
				all = append(all, v.String())
			}
		}
		all = append(all, last.String())
	}
	return all
}

// Newest lists the newest release that is known of each branch, the oldest branch first.
func Newest() []string {
	var all []string
	for _, v := range newestKnown {
		all = append(all, v.String())
	}
	return all
}

// Branches lists all releases that are known, the oldest branch first.
func Branches() [][]release.Version {
	all := make([][]release.Version, len(newestKnown))
	for i, last := range newestKnown {
		for patch := range last.Patch + 1 {
			all[i] = append(all[i], release.Version{Major: last.Major, Minor: last.Minor, Patch: patch})
		}
	}
	return all
}

// unseenAlone is a choice that makes no difference to what clients see until read-index-retries has a follower ask
// twice: releases that differ in nothing else are one.
const unseenAlone = "read-index-ids"

// sameChoices reports whether two releases behave the same, amounts aside.
func sameChoices(a, b release.Version) bool {
	x, _ := OptionsOf(a.String())
	y, _ := OptionsOf(b.String())
	return !slices.ContainsFunc(Choices, func(c option.Option[Options]) bool {
		return c.Name != unseenAlone && c.Get(&x) != c.Get(&y)
	})
}

// branchOf is the place of a release's branch in newestKnown, -1 if it is not known.
func branchOf(v release.Version) int {
	for i, last := range newestKnown {
		if last.SameBranch(v) {
			return i
		}
	}
	return -1
}

// Unreleased reports whether a version is newer than the newest release that is known
// of its branch. It behaves as that one, which is returned.
func Unreleased(version string) (newest string, ok bool) {
	v, err := release.Parse(version)
	if err != nil || v.Pre || branchOf(v) < 0 {
		return "", false
	}
	last := newestKnown[branchOf(v)]
	return last.String(), last.Before(v)
}

// nearest is the release that comes next to what a text says: the newest one unless
// the text is a version or a branch.
func nearest(text string) string {
	for _, last := range newestKnown {
		if rest, ok := strings.CutPrefix(text, last.Branch()); ok && (rest == "" || rest[0] == '.') {
			return last.String()
		}
	}
	first := newestKnown[0]
	first.Patch = 0
	if v, err := release.Parse(text); err == nil && v.Before(first) {
		return first.String()
	}
	return newestKnown[len(newestKnown)-1].String()
}
