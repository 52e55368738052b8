package model

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/google/btree"
)

// Store is etcd's key-value store as a sequential object: one request at a
// time, each effective write one revision. Writes that change nothing take no
// revision.
//
// Clone is cheap (copy on write), so a checker may branch from any state.
type Store struct {
	items     entries
	revision  int64
	compacted int64
	digest    uint64
	// leases are by id. Clones share them.
	leases []Lease
}

// entries are a btree. A package that knows a type with a field of a generic type compiles all methods of that type
// anew, so that each importer of this one would compile those of btree: the field is an interface.
type entries interface {
	Get(entry) (entry, bool)
	ReplaceOrInsert(entry) (entry, bool)
	Delete(entry) (entry, bool)
	Len() int
	Ascend(btree.ItemIteratorG[entry])
	AscendGreaterOrEqual(from entry, visit btree.ItemIteratorG[entry])
	AscendRange(from, to entry, visit btree.ItemIteratorG[entry])
}

// entry is an item under its key: looking a key up allocates nothing.
type entry struct {
	key  string
	item *Item
}

func lessEntry(a, b entry) bool { return a.key < b.key }

// The degree suits both ends: a model checker clones stores of a handful of
// keys, a witness replays onto thousands.
const degree = 16

// NewStore returns the store that the history starts with.
func NewStore(init Initial) *Store {
	s := &Store{items: btree.NewG(degree, lessEntry), revision: init.Revision, compacted: init.Compacted}
	for _, it := range init.Items {
		s.set(it)
	}
	return s
}

// Clone returns a store that changes independently of s.
func (s *Store) Clone() *Store {
	c := *s
	c.items = s.items.(*btree.BTreeG[entry]).Clone()
	return &c
}

// Revision is that of the last effective write.
func (s *Store) Revision() int64 { return s.revision }

// Compacted is the revision below which history is gone; 0 if none is.
func (s *Store) Compacted() int64 { return s.compacted }

// Len is the number of keys.
func (s *Store) Len() int { return s.items.Len() }

// Digest identifies the contents (not the revision) up to hash collisions.
func (s *Store) Digest() uint64 { return s.digest }

// Equal compares contents and revision exactly.
func (s *Store) Equal(t *Store) bool {
	if s.revision != t.revision || s.compacted != t.compacted || s.digest != t.digest || s.items.Len() != t.items.Len() {
		return false
	}
	same := true
	s.items.Ascend(func(a entry) bool {
		b, ok := t.items.Get(a)
		same = ok && *a.item == *b.item
		return same
	})
	return same
}

// Get returns the key's item, nil if there is none.
func (s *Store) Get(key string) *Item {
	e, _ := s.items.Get(entry{key: key})
	return e.item
}

// Ascend calls f for the items of the range in key order until f says stop.
func (s *Store) Ascend(key, end string, f func(*Item) bool) {
	switch end {
	case "":
		if it := s.Get(key); it != nil {
			f(it)
		}
	case "\x00":
		s.items.AscendGreaterOrEqual(entry{key: key}, func(e entry) bool { return f(e.item) })
	default:
		s.items.AscendRange(entry{key: key}, entry{key: end}, func(e entry) bool { return f(e.item) })
	}
}

func (s *Store) set(it *Item) {
	if old, had := s.items.ReplaceOrInsert(entry{it.Key, it}); had {
		s.digest -= old.item.Digest()
	}
	s.digest += it.Digest()
}

func (s *Store) put(key, value string, lease, rev int64) {
	it := &Item{Key: key, Value: value, CreateRevision: rev, ModRevision: rev, Version: 1, Lease: lease}
	if old := s.Get(key); old != nil {
		it.CreateRevision, it.Version = old.CreateRevision, old.Version+1
	}
	s.set(it)
}

func (s *Store) deleteRange(key, end string) int64 {
	if end == "" {
		old, had := s.items.Delete(entry{key: key})
		if !had {
			return 0
		}
		s.digest -= old.item.Digest()
		return 1
	}
	gone := s.in(key, end)
	for _, it := range gone {
		s.items.Delete(entry{key: it.Key})
		s.digest -= it.Digest()
	}
	return int64(len(gone))
}

// Apply carries the request out and returns what a linearizable server answers
// at this point. Reads at another revision than the current one are not
// answered here (a sequential object has no past): see Log.
func (s *Store) Apply(r *Request) Result { return s.apply(r, &Result{}) }

// apply has the reads list items that sort alike in the order of an answer.
func (s *Store) apply(r *Request, shown *Result) Result {
	switch r.Kind {
	case Put:
		if !s.Keeps(r) {
			return Result{Revision: s.revision, Err: Invalid}
		}
		s.revision++
		res := Result{Revision: s.revision, Prev: s.before(r)}
		s.write(r, s.revision)
		return res
	case Delete:
		before := s.before(r)
		n := s.deleteRange(r.Key, r.End)
		if n > 0 {
			// etcd stamps all changes of one transaction with one revision.
			s.revision++
		}
		return Result{Revision: s.revision, Deleted: n, Prev: before}
	case Txn:
		return s.applyTxn(r, shown)
	case LeaseGrant:
		return s.grant(r)
	case LeaseRevoke:
		return s.revoke(r)
	case Compact:
		if r.Revision > s.revision {
			return Result{Revision: s.revision, Err: Future}
		}
		if r.Revision <= s.compacted {
			return Result{Revision: s.revision, Err: Compacted}
		}
		s.compacted = r.Revision
		return Result{Revision: s.revision}
	default:
		return s.read(r, shown)
	}
}

// Read answers a Get or a List from the current contents.
func (s *Store) Read(r *Request) Result { return s.read(r, &Result{}) }

func (s *Store) read(r *Request, shown *Result) Result {
	res := Result{Revision: s.revision}
	end := r.End
	if r.Kind == Get {
		end = ""
	}
	found := s.in(r.Key, end)
	res.Count = int64(len(found))
	if r.CountOnly {
		return res
	}
	all := found
	found = r.Selection.Of(found)
	r.Selection.Align(found, shown.Items)
	if r.Selection.Values != (ValuePattern{}) {
		n := int64(len(found))
		res.Count = n
		res.More = r.Selection.MoreOfAll && r.Limit > 0 && n == r.Limit && found[n-1] != all[len(all)-1]
	}
	if r.Limit > 0 && int64(len(found)) > r.Limit {
		found, res.More = found[:r.Limit], true
	}
	if r.KeysOnly {
		for i, it := range found {
			bare := *it
			bare.Value = ""
			found[i] = &bare
		}
	}
	res.Items = found
	return res
}

// in are the items of a range, in key order.
func (s *Store) in(key, end string) []*Item {
	var found []*Item
	s.Ascend(key, end, func(it *Item) bool {
		found = append(found, it)
		return true
	})
	return found
}

// before are the items that a write replaces or deletes, if it asks for them.
func (s *Store) before(r *Request) []*Item {
	if !r.PrevKV {
		return nil
	}
	return s.in(r.Key, r.End)
}

// SortTarget is the field that a List sorts by.
type SortTarget uint8

// The fields that etcd sorts by. It may list items with the same value in any order (Align).
const (
	ByKey SortTarget = iota
	ByVersion
	ByCreate
	ByMod
	ByValue
)

// Selection is which of the items in its range a List has, and in which order. 0 is no
// bound.
type Selection struct {
	SortBy     SortTarget
	Descending bool
	// MinMod and MaxMod bound the revision of the last change, MinCreate and MaxCreate
	// that of the creation.
	MinMod, MaxMod, MinCreate, MaxCreate int64
	// Values is what the values of the items look like: a selector of Kubernetes, of which
	// etcd knows nothing. Items that it leaves out are not counted.
	Values ValuePattern
	// MoreOfAll: a page that its Limit ends says that there is more if any item of the
	// range follows, whether Values fits it or not. If it is not set, either answer is
	// right where no item follows that Values fits.
	MoreOfAll bool
}

// ValuePattern is how values begin and end: a field selector and a label selector; and a shard. The
// zero value is any value of any item.
type ValuePattern struct {
	Prefix, Suffix string
	// Shard is which of the items have a value of the pattern.
	Shard Shard
	// None: no value is of the pattern.
	None bool
}

// Fits reports whether an item has a value of the pattern.
func (p ValuePattern) Fits(it *Item) bool {
	return !p.None && strings.HasPrefix(it.Value, p.Prefix) && strings.HasSuffix(it.Value, p.Suffix) && p.Shard.has(it)
}

// Shard is the items with a hash from From on and below To, which is 0 for the end of all hashes: the FNV-1a hash of
// what stands before the first dot of the value, or, without ByValue, of the revision at which the item was created,
// with its key. The zero value is all items.
type Shard struct {
	ByValue  bool
	From, To uint64
}

func (s Shard) has(it *Item) bool {
	if s == (Shard{}) {
		return true
	}
	h := fnv.New64a()
	if before, _, _ := strings.Cut(it.Value, "."); s.ByValue {
		h.Write([]byte(before))
	} else {
		h.Write(strconv.AppendInt(nil, it.CreateRevision, 10))
		h.Write([]byte(it.Key))
	}
	sum := h.Sum64()
	return sum >= s.From && (s.To == 0 || sum < s.To)
}

// And is the pattern of the values that two patterns fit, of which one has a shard at most.
func (p ValuePattern) And(q ValuePattern) ValuePattern {
	if len(p.Prefix) < len(q.Prefix) {
		p.Prefix, q.Prefix = q.Prefix, p.Prefix
	}
	if len(p.Suffix) < len(q.Suffix) {
		p.Suffix, q.Suffix = q.Suffix, p.Suffix
	}
	if p.Shard == (Shard{}) {
		p.Shard = q.Shard
	}
	p.None = p.None || q.None || !strings.HasPrefix(p.Prefix, q.Prefix) || !strings.HasSuffix(p.Suffix, q.Suffix)
	return p
}

// Of are the selected items of a list that is in the order of the keys. It does not
// change the list.
func (s *Selection) Of(items []*Item) []*Item {
	if *s == (Selection{}) {
		return items
	}
	kept := make([]*Item, 0, len(items))
	for _, it := range items {
		if within(it.ModRevision, s.MinMod, s.MaxMod) && within(it.CreateRevision, s.MinCreate, s.MaxCreate) && s.Values.Fits(it) {
			kept = append(kept, it)
		}
	}
	slices.SortStableFunc(kept, s.compare)
	return kept
}

// Align gives items of Of with the same value the order in which an answer shows them.
func (s *Selection) Align(items, shown []*Item) {
	if s.SortBy == ByKey {
		return
	}
	for i, like := range shown {
		for j := i; j < len(items) && s.compare(items[i], items[j]) == 0; j++ {
			if items[j].Key == like.Key {
				items[i], items[j] = items[j], items[i]
				break
			}
		}
	}
}

func within(rev, least, most int64) bool { return rev >= least && (most == 0 || rev <= most) }

func (s *Selection) compare(a, b *Item) int {
	if s.Descending {
		a, b = b, a
	}
	switch s.SortBy {
	case ByVersion:
		return cmp.Compare(a.Version, b.Version)
	case ByCreate:
		return cmp.Compare(a.CreateRevision, b.CreateRevision)
	case ByMod:
		return cmp.Compare(a.ModRevision, b.ModRevision)
	case ByValue:
		return cmp.Compare(a.Value, b.Value)
	}
	return cmp.Compare(a.Key, b.Key)
}
