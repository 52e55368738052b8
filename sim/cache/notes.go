package cache

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

type (
	// takesIn: an event of etcd's watch has come in.
	takesIn struct{ event *wire.WatchEvent }
	// takesProgress: a progress notification has come in.
	takesProgress struct{ resourceVersion int64 }
	// skipsProgress: one says what the cache knows.
	skipsProgress struct{ resourceVersion int64 }
	// dropsProgress: one came from a member of which nothing is known.
	dropsProgress struct{ resourceVersion int64 }
)

func (n takesIn) Text(*sim.World) string { return "takes in " + n.event.Label() }

// About implements sim.Subject.
func (n takesIn) About() sim.About {
	return sim.About{Revision: n.event.ResourceVersion, Key: n.event.Item.Key}
}

func (n takesProgress) Text(*sim.World) string {
	return "takes progress " + number(n.resourceVersion) + ": etcd says that all events up to revision " + number(n.resourceVersion) + " have been sent"
}

// About implements sim.Subject.
func (n takesProgress) About() sim.About { return sim.About{Revision: n.resourceVersion} }

func (n skipsProgress) Text(*sim.World) string {
	return "is at resourceVersion " + number(n.resourceVersion) + " already, and returns early from progress up to it"
}

// About implements sim.Subject.
func (n skipsProgress) About() sim.About { return sim.About{Revision: n.resourceVersion} }

func (n dropsProgress) Text(*sim.World) string {
	return "drops progress " + number(n.resourceVersion) + ": the version of the member behind the stream is not known, or too old"
}

// About implements sim.Subject.
func (n dropsProgress) About() sim.About { return sim.About{Revision: n.resourceVersion} }

func number(n int64) string { return strconv.FormatInt(n, 10) }

// putOff: a progress notification has come in, and the version stays.
type putOff struct{ resourceVersion int64 }

func (n putOff) Text(*sim.World) string {
	return "puts progress " + number(n.resourceVersion) + " into the dispatcher's channel, and its resourceVersion stays"
}

// About implements sim.Subject.
func (n putOff) About() sim.About { return sim.About{Revision: n.resourceVersion} }

// storeOnly: the store has a change before its version is out.
type storeOnly struct{ resourceVersion int64 }

func (n storeOnly) Text(*sim.World) string {
	return "has change " + number(n.resourceVersion) + " in its store, and its resourceVersion does not say so yet"
}

// About implements sim.Subject.
func (n storeOnly) About() sim.About { return sim.About{Revision: n.resourceVersion} }

// versionOnly: the version of a change is out before the change.
type versionOnly struct{ resourceVersion int64 }

func (n versionOnly) Text(*sim.World) string {
	return "is at resourceVersion " + number(n.resourceVersion) + ", and its store does not have that change yet"
}

// About implements sim.Subject.
func (n versionOnly) About() sim.About { return sim.About{Revision: n.resourceVersion} }
