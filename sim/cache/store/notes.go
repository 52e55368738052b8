package store

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
)

// versionLowered: the resourceVersion goes back in time.
type versionLowered struct{ from, to int64 }

// Text implements sim.Note.
func (n versionLowered) Text(*sim.World) string {
	return "its resourceVersion goes back from " + number(n.from) + " to " + number(n.to)
}

// otherVersion: watchers are sent a change with a resourceVersion that is not its own.
type otherVersion struct{ own, given int64 }

// Text implements sim.Note.
func (n otherVersion) Text(*sim.World) string {
	return "gives the deletion of revision " + number(n.own) + " the resourceVersion that the object had before, " + number(n.given)
}

// About implements sim.Subject.
func (n otherVersion) About() sim.About { return sim.About{Revision: n.own} }

// listed: a list has become the contents.
type listed struct {
	objects         int
	resourceVersion int64
}

// Text implements sim.Note.
func (n listed) Text(*sim.World) string {
	objects := strconv.Itoa(n.objects) + " objects"
	if n.objects == 1 {
		objects = "1 object"
	}
	return "has listed " + objects + " at resourceVersion " + number(n.resourceVersion)
}

// staysIndexed: an object keeps the place in an index that it had before a change.
type staysIndexed struct {
	field, value string
	revision     int64
}

// Text implements sim.Note.
func (n staysIndexed) Text(*sim.World) string {
	return "its index of " + n.field + " still has the former object under " + strconv.Quote(n.value)
}

// About implements sim.Subject.
func (n staysIndexed) About() sim.About { return sim.About{Revision: n.revision} }

// notKept: no snapshot is left of the state after a change.
type notKept struct{ resourceVersion int64 }

// Text implements sim.Note.
func (n notKept) Text(*sim.World) string {
	return "keeps no snapshot of resourceVersion " + number(n.resourceVersion)
}

// About implements sim.Subject.
func (n notKept) About() sim.About { return sim.About{Revision: n.resourceVersion} }

// SetsBack implements sim.Setback.
func (n notKept) SetsBack() bool { return true }

func number(n int64) string { return strconv.FormatInt(n, 10) }

// dropped: the snapshots are gone, though nothing was wrong with them.
type dropped struct{ snapshots int }

// Text implements sim.Note.
func (n dropped) Text(*sim.World) string {
	if n.snapshots == 1 {
		return "drops its only snapshot: cache and etcd are equal"
	}
	return "drops all " + strconv.Itoa(n.snapshots) + " snapshots: cache and etcd are equal"
}

// outlives: an event leaves its snapshot after a failed check has dropped all.
type outlives struct{ resourceVersion int64 }

// Text implements sim.Note.
func (n outlives) Text(*sim.World) string {
	return "leaves its snapshot of resourceVersion " + strconv.FormatInt(n.resourceVersion, 10) + " after the failed check has dropped the others"
}

// again: a check that passes switches snapshots on.
type again struct{}

// Text implements sim.Note.
func (again) Text(*sim.World) string { return "switches snapshots on: cache and etcd are equal" }
