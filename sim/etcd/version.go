package etcd

import (
	"fmt"
	"strconv"
	"strings"
)

// change is a step of the behaviour from some patch release of a branch on.
type change struct {
	patch int
	apply func(*Behaviour)
}

// branch is a minor version: how 3.x.0 behaved, and what its patch releases
// changed. Read in the sources of each tag.
type branch struct {
	minor   int
	first   Behaviour
	changes []change
}

func progressNotSynchronised(b *Behaviour) { b.Progress, b.NotifyMinRev = Deferred, Always }
func progressLost(b *Behaviour)            { b.Progress, b.CompactedUnsynced = Dropped, Skipped }
func revisionGoesBack(b *Behaviour)        { b.RestoreRevision = FromScheduledCompaction }
func tombstoneAtCompaction(b *Behaviour)   { b.CompactTombstone = Kept }
func tombstoneAtRestore(b *Behaviour)      { b.RestoreTombstone = Indexed }
func negativeStart(b *Behaviour)           { b.NegativeStart = Refused }
func futureRevision(b *Behaviour) {
	b.Progress, b.SyncMinRev, b.CreateAtZero = DroppedBelowStart, NeverLowered, PassedThrough
}

// before36 is what 3.6.0 was released with.
var before36 = Behaviour{
	Progress: Dropped, NotifyMinRev: Always, CompactedUnsynced: Skipped,
	CompactTombstone: Kept, RestoreTombstone: Indexed, RestoreRevision: FromScheduledCompaction,
}

var branches = []branch{
	{minor: 4, changes: []change{
		{25, progressNotSynchronised}, {31, progressLost}, {32, revisionGoesBack},
		{34, tombstoneAtCompaction}, {36, tombstoneAtRestore}, {38, futureRevision}, {38, negativeStart},
	}},
	{minor: 5, changes: []change{
		{8, progressNotSynchronised}, {13, progressLost}, {14, revisionGoesBack},
		{16, tombstoneAtCompaction}, {18, tombstoneAtRestore}, {22, futureRevision}, {24, negativeStart},
	}},
	{minor: 6, first: before36, changes: []change{{2, futureRevision}, {6, negativeStart}}},
	{minor: 7, first: before36, changes: []change{{0, futureRevision}, {0, negativeStart}}},
}

// Versions lists one release for each behaviour that differs from the one
// before on its branch, and the newest known of each branch.
func Versions() []string {
	return []string{
		"3.4.24", "3.4.25", "3.4.31", "3.4.45",
		"3.5.7", "3.5.12", "3.5.13", "3.5.14", "3.5.16", "3.5.18", "3.5.22", "3.5.35",
		"3.6.0", "3.6.2", "3.6.16",
		"3.7.3",
	}
}

// ForVersion returns the behaviour of a release from 3.4.0 to 3.7.x, "3.5.7" or
// "v3.5.7". Any patch number is accepted: one that is not out yet behaves as the
// newest of its branch. The error for anything else names the nearest version.
func ForVersion(v string) (Behaviour, error) {
	minor, patch, err := parseVersion(v)
	if err != nil {
		return Behaviour{}, err
	}
	br := &branches[minor-branches[0].minor]
	b := br.first
	for _, c := range br.changes {
		if patch >= c.patch {
			c.apply(&b)
		}
	}
	return b, nil
}

func parseVersion(v string) (minor, patch int, err error) {
	parts := strings.Split(strings.TrimPrefix(v, "v"), ".")
	var n [3]int
	valid := len(parts) == len(n)
	for i := 0; i < len(parts) && i < len(n); i++ {
		u, err := strconv.ParseUint(parts[i], 10, 16)
		if err != nil {
			valid = false
			break
		}
		n[i] = int(u)
	}
	low, high := branches[0].minor, branches[len(branches)-1].minor
	if !valid || n[0] != 3 || n[1] < low || n[1] > high {
		return 0, 0, fmt.Errorf("etcd: unknown version %q: 3.%d.0 to 3.%d.x are known, the nearest is %s", v, low, high, nearest(n))
	}
	return n[1], n[2], nil
}

// nearest is the version of Versions that comes next to what could be read.
func nearest(n [3]int) string {
	known := Versions()
	switch {
	case n[0] > 3 || n[0] == 3 && n[1] > branches[len(branches)-1].minor:
		return known[len(known)-1]
	case n[0] < 3:
		return known[0]
	}
	prefix := fmt.Sprintf("3.%d.", n[1])
	for i := len(known) - 1; i >= 0; i-- {
		if strings.HasPrefix(known[i], prefix) {
			return known[i]
		}
	}
	return known[0]
}
