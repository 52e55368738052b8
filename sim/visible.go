package sim

import "strconv"

// Visible is an optional capability of a node: it shows what it holds, for a page about a run. A page asks between
// steps; nothing in a run does, and campaigns never ask.
type Visible interface {
	// Show calls visit for each part of the state that a reader needs, in an order
	// that never changes. A part that is empty has no entries.
	Show(visit PartVisitor)
}

// PartVisitor takes a part of a node's state by its name, which is upstream's if there is
// one.
type PartVisitor = func(part string, entries ...Entry)

// Entry is one thing that a part of a node's state holds: an object, an event in a
// channel, a watcher in a group, or the value itself if the part is a single one.
type Entry struct {
	Text string
	// First and Last are the revisions of the changes that the entry holds or waits
	// for, for readers that must not go by its text; 0 is none.
	First, Last int64
	// UpTo is the revision up to which the entry says that nothing is missing: a
	// progress notification, or how far a store is. 0 is that it says nothing.
	UpTo int64
}

// Holds reports whether the entry holds the change of a revision, or waits for it.
func (e Entry) Holds(revision int64) bool {
	return revision > 0 && e.First <= revision && revision <= e.Last
}

// Claims reports whether the entry says that the change of a revision is not missing.
func (e Entry) Claims(revision int64) bool { return revision > 0 && revision <= e.UpTo }

// RevisionEntry is the one entry of a part that is a revision up to which nothing is missing.
func RevisionEntry(revision int64) Entry {
	return Entry{Text: strconv.FormatInt(revision, 10), UpTo: revision}
}
