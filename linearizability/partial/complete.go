package partial

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/google/btree"

	"github.com/watchbed/watchbed/model"
)

// Property is what has to be known of one to complete a history for it.
type Property struct {
	// Claims reports whether it is about an operation.
	Claims func(*model.Operation) bool
	// RealTime: what has returned before a call is before it in the order.
	RealTime bool
	// ReadsAtRevision: a read is at the revision of its answer.
	ReadsAtRevision bool
}

// Complete adds writes to a history that make what its claimed answers show and no recorded
// write made. An item was put at its mod revision, if no recorded write made that one. An
// item that is gone from a list was deleted at the last revision before, of which the write
// is not recorded. So was one that a Get did not find, if it had been put before the Get was
// called. Where there is no such revision, nothing is added, and no write could have explained
// it.
//
// The added writes come behind the recorded operations, called before all of them, with
// their revision as Commit. The answers lose what depends on writes that are not recorded: the
// numbers of an item but its mod revision, comparisons of transactions, counts, and what
// comes behind a page. A transaction of unknown outcome counts as not recorded if it compares
// anything: which branch it took depends on writes that are not recorded.
func Complete(h *model.History, p Property) *model.History {
	c := completion{property: p, made: map[int64]*model.Request{}, puts: map[int64][]model.Request{}, deletes: map[int64][]model.Request{}}
	out := *h
	out.Operations = make([]model.Operation, 0, len(h.Operations))
	for i := range h.Operations {
		op := h.Operations[i]
		if op.Outcome == model.Done && p.Claims(&op) {
			op.Request, op.Result = weaken(op.Request, op.Result)
		}
		if op.Outcome == model.Unknown && op.Commit > 0 && decides(op.Request) {
			op.Commit = 0
		}
		out.Operations = append(out.Operations, op)
	}
	c.collect(&out, p)
	c.sweep(&out.Initial)
	out.Operations = append(out.Operations, c.unrecorded(len(h.Clients))...)
	if len(out.Operations) > len(h.Operations) {
		out.Clients = append(slices.Clone(h.Clients), "clients that are not recorded")
	}
	return &out
}

// decides reports whether a request has comparisons.
func decides(r *model.Request) bool {
	decide := func(op model.Request) bool { return decides(&op) }
	return len(r.Compare) > 0 || slices.ContainsFunc(r.Success, decide) || slices.ContainsFunc(r.Failure, decide)
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
			request = model.Request{Kind: model.List, Key: nowhere, Freshness: r.Freshness, Revision: r.Revision}
			result.Items, result.Count = nil, 0
		case res.More:
			request.Limit, request.End = 0, res.Items[len(res.Items)-1].Key+"\x00"
		}
	}
	return &request, &result
}

// nowhere is a key that no client uses.
const nowhere = "\x00\x00"

type completion struct {
	property Property
	made     map[int64]*model.Request
	// puts and deletes are what was added, by revision.
	puts, deletes map[int64][]model.Request
	points        []point
}

// point is an answer of which the revision is known, or the last that it may have: all of the
// range that it shows.
type point struct {
	revision int64
	// from is the first revision that it may have.
	from     int64
	key, end string
	items    []*model.Item
}

func (c *completion) collect(h *model.History, p Property) {
	for i := range h.Operations {
		op := &h.Operations[i]
		switch {
		case op.Outcome == model.Unknown && op.Commit > 0:
			c.made[op.Commit] = op.Request
		case op.Outcome == model.Done && op.Request.IsWrite() && op.Request.Changed(op.Result) && op.Result.Revision > 0:
			c.made[op.Result.Revision] = op.Request
		}
	}
	for i := range h.Operations {
		if op := &h.Operations[i]; op.Outcome == model.Done && p.Claims(op) {
			c.answer(h, op.Request, op.Result)
		}
	}
	if p.RealTime {
		c.notFound(h, p)
	}
	slices.SortStableFunc(c.points, func(a, b point) int { return cmp.Compare(a.revision, b.revision) })
}

func (c *completion) answer(h *model.History, r *model.Request, res *model.Result) {
	rev := res.Revision
	if r.Freshness == model.Exact {
		rev = r.Revision
	}
	if r.Kind == model.Txn && r.Changed(res) {
		// Its reads saw a store between two revisions.
		rev = 0
	}
	c.parts(h, r, res, rev)
}

// parts takes what a request shows, and each one in it.
func (c *completion) parts(h *model.History, r *model.Request, res *model.Result, rev int64) {
	c.read(h, r, res, rev)
	for i := range res.Results {
		c.parts(h, &r.Success[i], &res.Results[i], rev)
	}
}

// read takes what a request without others in it shows of a revision, 0 if that is not
// known.
func (c *completion) read(h *model.History, r *model.Request, res *model.Result, rev int64) {
	for _, it := range res.Items {
		c.shown(h, it, r.KeysOnly)
	}
	switch {
	case rev == 0:
	case r.Kind == model.List, r.Kind == model.Delete && res.Deleted == 0:
		c.points = append(c.points, point{revision: rev, from: rev, key: r.Key, end: r.End, items: res.Items})
	case r.Kind == model.Get:
		c.points = append(c.points, point{revision: rev, from: rev, key: r.Key, items: res.Items})
	}
}

// notFound takes what Gets without a revision did not find.
func (c *completion) notFound(h *model.History, p Property) {
	s := newSpans(h, p)
	newest := h.Initial.Revision
	for rev := range c.made {
		newest = max(newest, rev)
	}
	for i := range c.points {
		newest = max(newest, c.points[i].revision)
	}
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Request.Kind != model.Get || op.Outcome != model.Done || !p.Claims(op) || op.Result.Revision != 0 || len(op.Result.Items) > 0 {
			continue
		}
		from, to := s.of(op)
		c.points = append(c.points, point{revision: min(to, newest+1), from: from, key: op.Request.Key})
	}
}

// shown adds the write of an item, if no recorded one made its revision.
func (c *completion) shown(h *model.History, it *model.Item, keyOnly bool) {
	rev := it.ModRevision
	if rev <= h.Initial.Revision || c.made[rev] != nil {
		return
	}
	puts := c.puts[rev]
	at := slices.IndexFunc(puts, func(r model.Request) bool { return r.Key == it.Key })
	switch {
	case at < 0:
		c.puts[rev] = append(puts, model.Request{Kind: model.Put, Key: it.Key, Value: it.Value})
	case puts[at].Value == "" && !keyOnly:
		// Only its key had been shown.
		puts[at].Value = it.Value
	}
}

// present is a key that is there: since when, and when it was seen last.
type present struct {
	key       string
	mod, seen int64
}

// sweep goes through the revisions and finds what must have been deleted.
func (c *completion) sweep(initial *model.Initial) {
	keys := btree.NewG(16, func(a, b present) bool { return a.key < b.key })
	for _, it := range initial.Items {
		keys.ReplaceOrInsert(present{it.Key, it.ModRevision, initial.Revision})
	}
	revisions := slices.Collect(maps.Keys(c.made))
	revisions = append(revisions, slices.Collect(maps.Keys(c.puts))...)
	slices.Sort(revisions)
	for _, p := range c.points {
		for len(revisions) > 0 && revisions[0] <= p.revision {
			rev := revisions[0]
			revisions = revisions[1:]
			if r := c.made[rev]; r != nil {
				write(keys, r, rev)
			}
			for i := range c.puts[rev] {
				write(keys, &c.puts[rev][i], rev)
			}
		}
		c.look(keys, &p, initial.Revision)
	}
}

func write(keys *btree.BTreeG[present], r *model.Request, rev int64) {
	switch r.Kind {
	case model.Put:
		keys.ReplaceOrInsert(present{r.Key, rev, rev})
	case model.Delete:
		for _, k := range between(keys, r.Key, r.End) {
			keys.Delete(k)
		}
	}
	for i := range r.Success {
		write(keys, &r.Success[i], rev)
	}
}

func between(keys *btree.BTreeG[present], key, end string) (found []present) {
	keys.AscendGreaterOrEqual(present{key: key}, func(k present) bool {
		if !model.InRange(k.key, key, end) {
			return false
		}
		found = append(found, k)
		return true
	})
	return found
}

// look deletes what an answer does not show.
func (c *completion) look(keys *btree.BTreeG[present], p *point, first int64) {
	for _, k := range between(keys, p.key, p.end) {
		at, shown := slices.BinarySearchFunc(p.items, k.key, func(it *model.Item, key string) int { return cmp.Compare(it.Key, key) })
		if shown && p.items[at].ModRevision == k.mod {
			k.seen = p.revision
			keys.ReplaceOrInsert(k)
		}
		if shown || k.mod > p.from {
			continue
		}
		hole := p.revision
		for c.made[hole] != nil {
			hole--
		}
		there := max(k.mod, first)
		switch {
		case hole > max(there, k.seen):
			c.deletes[hole] = append(c.deletes[hole], model.Request{Kind: model.Delete, Key: k.key})
			keys.Delete(k)
		}
	}
}

// unrecorded are the writes that were added.
func (c *completion) unrecorded(client int) (ops []model.Operation) {
	revisions := slices.Collect(maps.Keys(c.puts))
	for rev := range c.deletes {
		if c.puts[rev] == nil {
			revisions = append(revisions, rev)
		}
	}
	slices.Sort(revisions)
	for _, rev := range revisions {
		ops = append(ops, model.Operation{
			Client: client, Call: math.MinInt64, Return: math.MaxInt64, Outcome: model.Unknown, Commit: rev,
			Request: &model.Request{Kind: model.Txn, Success: append(c.puts[rev], c.deletes[rev]...)},
		})
	}
	return ops
}
