package recorded

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/google/btree"

	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
)

// complete adds writes to a history that make what its claimed answers show and no recorded
// write made. An item was put at its mod revision, if no recorded write made that one. An
// item that is gone from a list was deleted at the last revision before, of which the write
// is not recorded. So was one that a Get did not find, if it had been put before the Get was
// called. Where there is no such revision, nothing is added, and no write could have explained
// it.
//
// The added writes come behind the recorded operations, called before all of them, with
// their revision as Commit. The answers lose what depends on writes that are not recorded: the
// numbers of an item but its mod revision, comparisons of transactions, counts, and what
// comes behind a page. A transaction of unknown outcome that compares anything took the branch that puts
// what answers show of its revision, or else the first.
//
// If reads are at the revision of their answer, these tell more.
func complete(h *model.History, p property, readsAtRevision bool) *model.History {
	out := *h
	out.Operations = slices.Clone(h.Operations)
	c := completion{
		History: &out, of: p, readsAtRevision: readsAtRevision,
		made: map[int64]*model.Request{}, puts: map[int64][]addedPut{}, deletes: map[int64][]string{},
	}
	seen := seenPuts(h, p)
	for i := range out.Operations {
		op := &out.Operations[i]
		switch {
		case !loses(p, op):
		case op.Outcome == model.Unknown:
			op.Request = taken(op.Request, func(r *model.Request) bool { return seen[seenPut{op.Commit, r.Key}] })
		default:
			op.Request, op.Result = weaken(op.Request, op.Result)
		}
	}
	c.collect()
	c.sweep()
	if c.addUnrecorded(); len(out.Operations) > len(h.Operations) {
		out.Clients = append(slices.Clone(h.Clients), "clients that are not recorded")
	}
	return &out
}

// losesAny reports whether complete leaves out anything of a history that a judge could hold against it:
// if not, what holds in the completion holds.
func losesAny(p property, h *model.History) bool {
	return slices.ContainsFunc(h.Operations, func(op model.Operation) bool { return loses(p, &op) })
}

func loses(p property, op *model.Operation) bool {
	switch op.Outcome {
	case model.Unknown:
		return op.Commit > 0 && decides(op.Request)
	case model.Done:
		return p.Claims(op) && weakens(op.Request, op.Result)
	}
	return false
}

// seenPut is a put that an answer shows.
type seenPut struct {
	revision int64
	key      string
}

// seenPuts are all that answers show of the revisions of transactions of which it is not known which
// branch they took.
func seenPuts(h *model.History, p property) map[seenPut]bool {
	open := map[int64]bool{}
	for i := range h.Operations {
		if op := &h.Operations[i]; op.Outcome == model.Unknown && loses(p, op) {
			open[op.Commit] = true
		}
	}
	seen := map[seenPut]bool{}
	var look func(res *model.Result)
	look = func(res *model.Result) {
		for _, it := range res.Items {
			if open[it.ModRevision] {
				seen[seenPut{it.ModRevision, it.Key}] = true
			}
		}
		for i := range res.Results {
			look(&res.Results[i])
		}
	}
	for i := range h.Operations {
		if op := &h.Operations[i]; len(open) > 0 && op.Outcome == model.Done && p.Claims(op) {
			look(op.Result)
		}
	}
	return seen
}

// taken is a request without comparisons, as it took the branch that has a put which was seen.
func taken(r *model.Request, seen func(put *model.Request) bool) *model.Request {
	if r.Kind != model.Txn {
		return r
	}
	isSeen := func(r model.Request) bool {
		return items.Any(&r, func(r *model.Request) bool { return r.Kind == model.Put && seen(r) })
	}
	branch := r.Success
	if !slices.ContainsFunc(branch, isSeen) && slices.ContainsFunc(r.Failure, isSeen) {
		branch = r.Failure
	}
	out := &model.Request{Kind: model.Txn}
	for i := range branch {
		out.Success = append(out.Success, *taken(&branch[i], seen))
	}
	return out
}

// weakens reports whether an answer has anything that depends on writes that are not recorded.
func weakens(r *model.Request, res *model.Result) bool {
	list := r.Kind == model.List
	return r.Kind == model.Txn || slices.ContainsFunc(res.Items, hasMore) ||
		list && (res.More || r.CountOnly || r.Selection != model.Selection{} || res.Count != int64(len(res.Items)))
}

// hasMore reports whether an item has more than a key, a value and a mod revision.
func hasMore(it *model.Item) bool { return it.CreateRevision != 0 || it.Version != 0 || it.Lease != 0 }

// decides reports whether a request has comparisons. A lock or an election may have no reads.
func decides(r *model.Request) bool {
	return items.Any(r, func(r *model.Request) bool { return len(r.Compare) > 0 })
}

// weaken leaves out of an answer what depends on writes that are not recorded.
func weaken(r *model.Request, res *model.Result) (*model.Request, *model.Result) {
	request, result := *r, *res
	result.Items = nil
	for _, it := range res.Items {
		result.Items = append(result.Items, &model.Item{Key: it.Key, Value: it.Value, ModRevision: it.ModRevision})
	}
	switch r.Kind {
	case model.Txn:
		request.Compare, request.Success, request.Failure, result.Succeeded = nil, nil, nil, true
		result.Results = nil
		branch := r.Branch(res.Succeeded)
		for i := range branch {
			one, shown := weaken(&branch[i], &res.Results[i])
			request.Success = append(request.Success, *one)
			result.Results = append(result.Results, *shown)
		}
	case model.List:
		result.More, result.Count = false, int64(len(result.Items))
		switch {
		case r.CountOnly || r.Selection != (model.Selection{}) || res.More && len(res.Items) == 0:
			// Its revision is all that can be judged.
			request = model.Request{Kind: model.List, Key: noKey, Freshness: r.Freshness, Revision: r.Revision}
			result.Items, result.Count = nil, 0
		case res.More:
			request.Limit, request.End = 0, res.Items[len(res.Items)-1].Key+"\x00"
		}
	}
	return &request, &result
}

// noKey is a key that no client uses.
const noKey = "\x00\x00"

type completion struct {
	*model.History
	of              property
	readsAtRevision bool

	made map[int64]*model.Request
	// puts and deletes are what was added, by revision: deletes by their keys.
	puts    map[int64][]addedPut
	deletes map[int64][]string
	points  []point
}

// addedPut is a put that no recorded operation made.
type addedPut struct{ key, value string }

// point is an answer of which the revision is known, or the last that it may have: all of the
// range that it shows.
type point struct {
	revision int64
	// from is the first revision that it may have.
	from     int64
	key, end string
	items    []*model.Item
}

func (c *completion) collect() {
	for i := range c.Operations {
		op := &c.Operations[i]
		switch {
		case op.Outcome == model.Unknown && op.Commit > 0:
			c.made[op.Commit] = op.Request
		case op.Outcome == model.Done && op.Request.IsWrite() && op.Request.Changed(op.Result) && op.Result.Revision > 0:
			c.made[op.Result.Revision] = op.Request
		}
	}
	for i := range c.Operations {
		op := &c.Operations[i]
		if op.Outcome != model.Done || !c.of.Claims(op) {
			continue
		}
		rev := op.Result.Revision
		switch {
		case op.Request.Freshness == model.Exact:
			rev = op.Request.Revision
		case op.Request.Kind == model.Txn && op.Request.Changed(op.Result):
			// Its reads saw a store between two revisions.
			rev = 0
		}
		c.answer(op.Request, op.Result, rev)
	}
	if inRealTime(c.of) {
		c.notFound()
	}
	slices.SortStableFunc(c.points, func(a, b point) int { return cmp.Compare(a.revision, b.revision) })
}

// answer takes what a request and each one in it shows of a revision, 0 if that is not known.
func (c *completion) answer(r *model.Request, res *model.Result, rev int64) {
	for _, it := range res.Items {
		c.shown(it, r.KeysOnly)
	}
	switch {
	case rev == 0:
	case r.Kind == model.List, r.Kind == model.Delete && res.Deleted == 0:
		c.points = append(c.points, point{revision: rev, from: rev, key: r.Key, end: r.End, items: res.Items})
	case r.Kind == model.Get:
		c.points = append(c.points, point{revision: rev, from: rev, key: r.Key, items: res.Items})
	}
	for i := range res.Results {
		c.answer(&r.Success[i], &res.Results[i], rev)
	}
}

// notFound takes what Gets without a revision did not find.
func (c *completion) notFound() {
	s := newSpans(c.History, c.of, c.readsAtRevision)
	newest := c.Initial.Revision
	for rev := range c.made {
		newest = max(newest, rev)
	}
	for i := range c.points {
		newest = max(newest, c.points[i].revision)
	}
	for i := range c.Operations {
		op := &c.Operations[i]
		if op.Request.Kind == model.Get && op.Outcome == model.Done && c.of.Claims(op) && op.Result.Revision == 0 && len(op.Result.Items) == 0 {
			from, to := s.of(op)
			c.points = append(c.points, point{revision: min(to, newest+1), from: from, key: op.Request.Key})
		}
	}
}

// shown adds the write of an item, if no recorded one made its revision.
func (c *completion) shown(it *model.Item, keyOnly bool) {
	rev := it.ModRevision
	if rev <= c.Initial.Revision || c.made[rev] != nil {
		return
	}
	puts := c.puts[rev]
	at := slices.IndexFunc(puts, func(p addedPut) bool { return p.key == it.Key })
	switch {
	case at < 0:
		c.puts[rev] = append(puts, addedPut{it.Key, it.Value})
	case puts[at].value == "" && !keyOnly:
		// Only its key had been shown.
		puts[at].value = it.Value
	}
}

// present is a key that is there: since when, and when it was seen last.
type present struct {
	key       string
	mod, seen int64
}

// sweep goes through the revisions and finds what must have been deleted.
func (c *completion) sweep() {
	keys := btree.NewG(16, func(a, b *present) bool { return a.key < b.key })
	for _, it := range c.Initial.Items {
		keys.ReplaceOrInsert(&present{it.Key, it.ModRevision, c.Initial.Revision})
	}
	revisions := slices.Concat(slices.Collect(maps.Keys(c.made)), slices.Collect(maps.Keys(c.puts)))
	slices.Sort(revisions)
	for i := range c.points {
		p := &c.points[i]
		for len(revisions) > 0 && revisions[0] <= p.revision {
			rev := revisions[0]
			revisions = revisions[1:]
			if r := c.made[rev]; r != nil {
				write(keys, r, rev)
			}
			for _, added := range c.puts[rev] {
				keys.ReplaceOrInsert(&present{added.key, rev, rev})
			}
		}
		c.look(keys, p)
	}
}

func write(keys *btree.BTreeG[*present], r *model.Request, rev int64) {
	switch r.Kind {
	case model.Put:
		keys.ReplaceOrInsert(&present{r.Key, rev, rev})
	case model.Delete:
		for _, k := range within(keys, r.Key, r.End) {
			keys.Delete(k)
		}
	}
	for i := range r.Success {
		write(keys, &r.Success[i], rev)
	}
}

// within are the keys of a range.
func within(keys *btree.BTreeG[*present], key, end string) (all []*present) {
	keys.AscendGreaterOrEqual(&present{key: key}, func(k *present) bool {
		inside := model.InRange(k.key, key, end)
		if inside {
			all = append(all, k)
		}
		return inside
	})
	return all
}

// look deletes what an answer does not show.
func (c *completion) look(keys *btree.BTreeG[*present], p *point) {
	items := p.items
	for _, k := range within(keys, p.key, p.end) {
		for len(items) > 0 && items[0].Key < k.key {
			items = items[1:]
		}
		shown := len(items) > 0 && items[0].Key == k.key
		if shown && items[0].ModRevision == k.mod {
			k.seen = p.revision
		}
		if shown || k.mod > p.from {
			continue
		}
		hole := p.revision
		for c.made[hole] != nil {
			hole--
		}
		if there := max(k.mod, c.Initial.Revision); hole > max(there, k.seen) {
			c.deletes[hole] = append(c.deletes[hole], k.key)
			keys.Delete(k)
		}
	}
}

// chunk is how many requests are allocated at a time: one allocation for a million of them would
// be a third of the memory at its peak.
const chunk = 1024

// addUnrecorded puts the writes that were added behind the operations of a history.
func (c *completion) addUnrecorded() {
	revisions := slices.Concat(slices.Collect(maps.Keys(c.puts)), slices.Collect(maps.Keys(c.deletes)))
	slices.Sort(revisions)
	revisions = slices.Compact(revisions)
	c.Operations = slices.Grow(c.Operations, len(revisions))
	for some := range slices.Chunk(revisions, chunk) {
		requests := make([]model.Request, len(some))
		for i, rev := range some {
			requests[i] = c.writeOf(rev)
			c.Operations = append(c.Operations, model.Operation{
				Client: len(c.Clients), Call: math.MinInt64, Return: math.MaxInt64, Outcome: model.Unknown, Commit: rev,
				Request: &requests[i],
			})
		}
	}
}

// writeOf is what was added at a revision, in one request.
func (c *completion) writeOf(rev int64) model.Request {
	puts, deletes := c.puts[rev], c.deletes[rev]
	if len(puts) == 1 && len(deletes) == 0 {
		return model.Request{Kind: model.Put, Key: puts[0].key, Value: puts[0].value}
	}
	all := make([]model.Request, 0, len(puts)+len(deletes))
	for _, p := range puts {
		all = append(all, model.Request{Kind: model.Put, Key: p.key, Value: p.value})
	}
	for _, key := range deletes {
		all = append(all, model.Request{Kind: model.Delete, Key: key})
	}
	return model.Request{Kind: model.Txn, Success: all}
}
