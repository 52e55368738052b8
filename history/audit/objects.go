package audit

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
)

// objects are those that the log shows, by key.
type objects struct {
	// versions are in the order of their revisions.
	versions map[string][]version
	// sets has one of each set of labels, by its text.
	sets map[string]labels.Set
}

// version is what an object was from one revision on.
type version struct {
	revision int64
	labels   labels.Set
	// first and last are the selected lists of the lowest and of the highest revision that show
	// the version; missed is that of the lowest one which would show it, and does not. All
	// others follow: what is there at two revisions is there between them, and what is gone
	// does not come back.
	first, last, missed *selectedList
}

func byRevision(v version, revision int64) int { return cmp.Compare(v.revision, revision) }

// saw keeps the labels of an object.
func (o *objects) saw(key string, revision int64, set labels.Set) {
	all := o.versions[key]
	at, known := slices.BinarySearchFunc(all, revision, byRevision)
	if known {
		return
	}
	text := set.String()
	if same, known := o.sets[text]; known {
		set = same
	} else {
		o.sets[text] = set
	}
	o.versions[key] = slices.Insert(all, at, version{revision: revision, labels: set})
}

// at is the version that an object had at a revision, as far as the log shows, or nil.
func (o *objects) at(key string, revision int64) *version {
	all := o.versions[key]
	at, _ := slices.BinarySearchFunc(all, revision+1, byRevision)
	if at == 0 {
		return nil
	}
	return &all[at-1]
}

// look goes through selected lists and notes which versions they show, and which they miss.
func (o *objects) look(lists []*selectedList) {
	slices.SortStableFunc(lists, func(a, b *selectedList) int {
		return cmp.Compare(a.operation.Result.Revision, b.operation.Result.Revision)
	})
	keys := slices.Sorted(maps.Keys(o.versions))
	for _, l := range lists {
		for _, it := range l.operation.Result.Items {
			at, _ := slices.BinarySearchFunc(o.versions[it.Key], it.ModRevision, byRevision)
			v := &o.versions[it.Key][at]
			if v.last = l; v.first == nil {
				v.first = l
			}
		}
		from, _ := slices.BinarySearch(keys, l.operation.Request.Key)
		to, _ := slices.BinarySearch(keys, l.end())
		for _, key := range keys[from:max(from, to)] {
			v := o.at(key, l.operation.Result.Revision)
			if v != nil && v.missed == nil && !l.shows(key) && l.surelySelects(key, v.labels) {
				v.missed = l
			}
		}
	}
}

// reads are what the selected lists tell of single objects, in the order of their keys and
// revisions.
func (o *objects) reads(yield func(l *selectedList, key string, revision int64)) {
	for _, key := range slices.Sorted(maps.Keys(o.versions)) {
		for _, v := range o.versions[key] {
			if v.first != nil {
				yield(v.first, key, v.revision)
			}
			if v.last != v.first {
				yield(v.last, key, v.revision)
			}
			if v.missed != nil {
				yield(v.missed, key, 0)
			}
		}
	}
}
