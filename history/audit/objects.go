package audit

import (
	"cmp"
	"maps"
	"slices"

	"github.com/google/btree"
	"k8s.io/apimachinery/pkg/labels"
)

// objects are the objects in the log, by key.
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

// presence is an object that is there, as far as the lists up to a revision tell.
type presence struct {
	key     string
	version *version
}

// look goes through selected lists and notes which versions they show, and which they miss.
func (o *objects) look(lists []*selectedList) {
	slices.SortStableFunc(lists, func(a, b *selectedList) int {
		return cmp.Compare(a.operation.Result.Revision, b.operation.Result.Revision)
	})
	all := o.inOrder()
	now := btree.NewG(16, func(a, b presence) bool { return a.key < b.key })
	for _, l := range lists {
		for len(all) > 0 && all[0].version.revision <= l.operation.Result.Revision {
			now.ReplaceOrInsert(all[0])
			all = all[1:]
		}
		for _, it := range l.operation.Result.Items {
			at, _ := slices.BinarySearchFunc(o.versions[it.Key], it.ModRevision, byRevision)
			v := &o.versions[it.Key][at]
			if v.last = l; v.first == nil {
				v.first = l
			}
		}
		for _, p := range missing(now, l) {
			p.version.missed = l
			now.Delete(p)
		}
	}
}

// inOrder are all versions, in the order of their revisions.
func (o *objects) inOrder() []presence {
	var all []presence
	for _, key := range slices.Sorted(maps.Keys(o.versions)) {
		for i := range o.versions[key] {
			all = append(all, presence{key, &o.versions[key][i]})
		}
	}
	slices.SortStableFunc(all, func(a, b presence) int { return cmp.Compare(a.version.revision, b.version.revision) })
	return all
}

// missing are the objects that a list would show if they were there.
func missing(now *btree.BTreeG[presence], l *selectedList) (gone []presence) {
	now.AscendRange(presence{key: l.operation.Request.Key}, presence{key: l.end()}, func(p presence) bool {
		if !l.shows(p.key) && l.surelySelects(p.key, p.version.labels) {
			gone = append(gone, p)
		}
		return true
	})
	return gone
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
