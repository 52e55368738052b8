package store

import "github.com/watchbed/watchbed/sim/wire"

// View is one state as a list reads it: the newest, or a past one. It is good
// until the end of the step.
type View struct {
	// ResourceVersion of the state.
	ResourceVersion int64
	// Snapshot is the resourceVersion of the snapshot that the state is taken from,
	// 0 if it is the newest state.
	Snapshot int64

	objects objects
	// changes are those of the contents that the state is of, nil if they may be of others.
	changes *changes
	// resource is the prefix that all objects have.
	resource string
	// indices follow the newest state and have no past.
	indices []index
}

// Len is the number of objects.
func (v *View) Len() int { return v.objects.tree.Len() }

// Ascend calls f for the objects under a prefix whose keys are from or later, in
// key order, until f says stop. An empty from is the first one.
func (v *View) Ascend(prefix, from string, f func(*wire.KeyValue) bool) {
	v.objects.ascend(whole(prefix, v.resource), from, f)
}

// Counts reports whether Count takes no look at each object.
func (v *View) Counts() bool { return v.changes != nil && v.changes.from != nil }

// Count is how many objects Ascend would go through, if the view Counts.
func (v *View) Count(prefix, from string) int {
	return v.changes.count(v.objects, whole(prefix, v.resource), from)
}

// IndexFor is a field that this state has an index of, and the one value of it that a selector
// requires (SelectionPredicate.MatcherIndex); empty if there is none.
func (v *View) IndexFor(s wire.Selector) (field, value string) {
	for i := range v.indices {
		field = v.indices[i].field.Name
		if value, ok := s.RequiresExactMatch(field); ok {
			return field, value
		}
	}
	return "", ""
}

// AscendIndexed is Ascend over the objects with one value of a field that there is an index
// of, without a look at any other.
func (v *View) AscendIndexed(field, value, prefix, from string, f func(*wire.KeyValue) bool) {
	for i := range v.indices {
		if v.indices[i].field.Name == field {
			v.indices[i].ascend(value, prefix, from, f)
			return
		}
	}
}
