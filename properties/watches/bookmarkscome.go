package watches

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// BookmarksCome looks at the watches of a cache when nothing more can happen, so that
// every bookmark timer has fired: bookmarks must have brought each watch that allows
// them, with or without initial events, to the resourceVersion of the cache, which
// progress may have raised without an event (allowWatchBookmarks). Upstream sends no
// bookmark at the resourceVersion of the last event before which a watch began
// (cacheWatcher.process), and it would say nothing new. A cache whose watches etcd
// serves sends none. With selectors the client may not know that version, since the
// event was not for it: selected-lists does not claim the property. Nor do scenarios in
// which a client takes nothing for long. It is exercised by open watches that were sent a
// bookmark or lack one, and by each run that cannot come to rest, because etcd's ticker
// goes on (draft-2019).
var BookmarksCome = testbed.RegisterProperty(&testbed.Property{
	Name: "bookmarks-come", Kind: testbed.Liveness,
	Promise:  "When nothing more can happen, bookmarks have brought every open watch that allows them to the resourceVersion of the cache.",
	Violated: "no bookmark",
	Labels:   map[string]string{"missing": "no bookmark"},
	Past:     func(s *testbed.System) testbed.Past { return bookmarksPast{s} },
	AtRest:   true,
	New: func(s *testbed.System) testbed.Judge {
		return &bookmarksCome{s}
	},
})

type bookmarksCome struct{ system *testbed.System }

// Reset implements testbed.Judge.
func (*bookmarksCome) Reset() {}

// Finding implements testbed.Judge.
func (j *bookmarksCome) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	if !j.system.ComesToRest() {
		all.Exercised++
		return all.Finding()
	}
	if !j.system.IsOver(w) {
		return all.Finding()
	}
	for _, o := range openWatches(j.system) {
		if !sendsBookmarks(j.system.Cache(o.cache)) {
			continue
		}
		version := versionOf(j.system, o.cache)
		known := newestRevision(o.after, o.events)
		if known < version {
			all.Violate("missing", &unmarked{o.client, known, version})
		}
		if known < version || slices.ContainsFunc(o.events, isBookmark) {
			all.Exercised++
		}
	}
	return all.Finding()
}

// bookmarksPast is what the client of each open watch knows of.
type bookmarksPast struct{ system *testbed.System }

// Digest implements testbed.Past.
func (p bookmarksPast) Digest(d sim.Digest) sim.Digest {
	for _, o := range openWatches(p.system) {
		d = d.Text(o.client).Int(newestRevision(o.after, o.events)).Bool(slices.ContainsFunc(o.events, isBookmark))
	}
	return d
}

// sendsBookmarks reports whether a cache serves its watches itself.
func sendsBookmarks(c *testbed.Cache) bool {
	return c.Server().Cache.Watches.Delegation == dispatch.Delegation(0)
}

func isBookmark(e *wire.WatchEvent) bool { return e.Type == wire.Bookmark }

// versionOf is the resourceVersion of a cache, 0 of one that does not show it.
func versionOf(s *testbed.System, id sim.NodeID) int64 {
	if c := s.Cache(id); c.Mirror != nil {
		return c.Mirror.ResourceVersion()
	}
	return 0
}

// unmarked is a watch to which no bookmark has brought the version of the cache.
type unmarked struct {
	client         string
	known, version int64
}

func (u *unmarked) String() string {
	return fmt.Sprintf("%s has an open watch that allows bookmarks, and nothing more can happen; it knows of RV %d, and no bookmark brought it to RV %d, where the cache is",
		u.client, u.known, u.version)
}

// Concerns implements explore.Concerned.
func (u *unmarked) Concerns() explore.Concern {
	return explore.Concern{Node: u.client, Revision: u.version}
}
