package recorded

import (
	"cmp"
	"maps"
	"slices"

	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
)

// settle finds out what became of writes whose answer does not say so: those of unknown
// outcome, and those that were answered without a revision. It goes by what other answers
// show. The result is the history itself, or a copy in which a write has the revision at
// which every order that explains the answers has it.
//
// Two things tell. An item says who can have made its revision: a write that puts this
// value under this key. And a revision below the newest that was seen, which no answered
// write made, was made by a write of unknown outcome. Where exactly one write is left for a
// revision, it made it. When the writes were called does not count, so that what is found is
// true of every order. Only the answers count that every order has to explain: those of
// writes and of consistent reads.
//
// Nothing is settled in a partial history: a write that was not recorded may have put the
// same value.
//
// With data, the revisions of lists are not looked at, as LinearizableData does not.
func settle(h *model.History, data bool) *model.History {
	s := newSettling(h)
	if !s.open() {
		return h
	}
	s.data = data
	s.look(false)
	s.fillGaps()
	return s.history
}

// guess does the same with less care: weaker reads and watches are taken at their word, and
// where several writes may have made a revision, one is chosen with which the answers that
// name revisions are right. If the history holds then, it holds. If not, that says nothing.
func guess(h *model.History) *model.History {
	s := newSettling(h)
	if !s.open() {
		return h
	}
	s.look(true)
	s.fillGaps()
	if s.gaps() > 0 {
		s.search()
	}
	if s.gaps() == 0 {
		s.append()
	}
	return s.history
}

// append gives the answered writes that are left the revisions behind all that were seen, in the
// order of their answers.
func (s *settling) append() {
	left := slices.DeleteFunc(slices.Clone(s.lost), func(i int) bool {
		op := &s.history.Operations[i]
		return op.Outcome != model.Done || op.Request.Kind == model.LeaseRevoke
	})
	slices.SortStableFunc(left, func(a, b int) int {
		return cmp.Compare(s.history.Operations[a].Return, s.history.Operations[b].Return)
	})
	for _, i := range left {
		s.newest++
		s.settle(i, s.newest)
	}
}

// newSettling takes in the writes of a history, which it does not change.
func newSettling(h *model.History) *settling {
	copied := *h
	copied.Operations = slices.Clone(h.Operations)
	s := &settling{
		history: &copied, byKey: map[string][]int{}, made: map[int64]int{}, shown: map[int64][]shownChange{},
		attached: items.Attached(h), newest: h.Initial.Revision,
	}
	s.collect()
	s.collectRevocations()
	return s
}

// open reports whether there is anything that can be settled.
func (s *settling) open() bool { return len(s.lost) > 0 && !s.history.Partial }

type settling struct {
	history *model.History
	// lost are the writes of which it is not known whether they made a revision, and which;
	// byKey those of them that put a key.
	lost  []int
	byKey map[string][]int
	// made has the write that made a revision.
	made map[int64]int
	// shown is what answers show of the revisions that no write is known to have made.
	shown map[int64][]shownChange
	// attached are the keys that were ever put on a lease.
	attached map[int64][]string
	// newest is the highest revision that any answer shows.
	newest int64
	// data: that of a list is not looked at.
	data bool
}

// shownChange is a put or a deletion that an answer shows.
type shownChange struct {
	key, value string
	deleted    bool
	// keyOnly: the value was not shown.
	keyOnly bool
}

// collect finds the writes to settle, and what is known of the others.
func (s *settling) collect() {
	for i := range s.history.Operations {
		op := &s.history.Operations[i]
		if !op.Request.IsWrite() || op.Outcome == model.Failed {
			continue
		}
		rev := op.Commit
		if op.Outcome == model.Done {
			if op.Request.Kind == model.LeaseRevoke {
				s.newest = max(s.newest, op.Result.Revision)
				continue
			}
			if !op.Request.Changed(op.Result) {
				continue
			}
			rev = op.Result.Revision
		}
		switch {
		case rev > s.history.Initial.Revision:
			s.made[rev] = i
			s.newest = max(s.newest, rev)
		case rev == 0:
			s.lost = append(s.lost, i)
			items.EachPut(op.Request, func(put *model.Request) {
				if of := s.byKey[put.Key]; len(of) == 0 || of[len(of)-1] != i {
					s.byKey[put.Key] = append(of, i)
				}
			})
		}
	}
}

// collectRevocations finds the answered revocations that may have made a revision: that of their
// answer, unless another write did, or any if their answer has none.
func (s *settling) collectRevocations() {
	for i := range s.history.Operations {
		op := &s.history.Operations[i]
		if op.Request.Kind != model.LeaseRevoke || op.Outcome != model.Done || len(s.attached[op.Request.Lease]) == 0 {
			continue
		}
		if rev := op.Result.Revision; rev == 0 || rev > s.history.Initial.Revision && !s.isMade(rev) {
			at, _ := slices.BinarySearch(s.lost, i)
			s.lost = slices.Insert(s.lost, at, i)
		}
	}
}

// revoked settles that an answered revocation made the revision of its answer, if a key was on
// its lease before that and what else may have made it are expiries: that of another lease
// takes no key off this one.
func (s *settling) revoked(before *model.Store, rev int64) {
	made := -1
	for _, i := range s.lost {
		op := &s.history.Operations[i]
		switch {
		case op.Request.Kind != model.LeaseRevoke:
			return
		case op.Outcome == model.Done && op.Result.Revision == rev && len(before.Attached(op.Request.Lease)) > 0:
			made = i
		}
	}
	if made >= 0 {
		s.settle(made, rev)
	}
}

// mayMake reports whether a write may have made a revision, by what is shown of it and by its answer.
func (s *settling) mayMake(i int, rev int64) bool {
	return s.allows(i, rev) && s.fits(s.shown[rev], s.history.Operations[i].Request)
}

// allows reports whether the answer of a write, if there is one, lets it have made a revision.
func (s *settling) allows(i int, rev int64) bool {
	op := &s.history.Operations[i]
	return op.Outcome == model.Unknown || op.Result.Revision == 0 || op.Result.Revision == rev
}

// look collects what answers show: those that every order has to explain, or all.
func (s *settling) look(all bool) {
	for i := range s.history.Operations {
		op := &s.history.Operations[i]
		if op.Outcome == model.Done && (all || linearizability.Linearizable.Claims(op)) {
			s.answer(op.Request, op.Result)
		}
	}
	if !all {
		return
	}
	for _, w := range s.history.Watchers {
		for i := range w.Streams {
			for k := range w.Streams[i].Responses {
				s.response(&w.Streams[i].Responses[k])
			}
		}
	}
}

func (s *settling) answer(r *model.Request, res *model.Result) {
	if r.IsWrite() || !s.data {
		s.newest = max(s.newest, res.Revision)
	}
	for _, it := range res.Items {
		s.item(it, r.KeysOnly)
	}
	for _, it := range res.Prev {
		s.item(it, false)
	}
	branch := r.Branch(res.Succeeded)
	for i := range res.Results {
		s.answer(&branch[i], &res.Results[i])
	}
}

func (s *settling) item(it *model.Item, keyOnly bool) {
	s.note(it.ModRevision, shownChange{key: it.Key, value: it.Value, keyOnly: keyOnly})
	if it.CreateRevision != it.ModRevision {
		s.note(it.CreateRevision, shownChange{key: it.Key, keyOnly: true})
	}
}

func (s *settling) response(r *model.WatchResponse) {
	if r.Progress || r.Created {
		s.newest = max(s.newest, r.Revision)
	}
	for i := range r.Events {
		ev := &r.Events[i]
		if ev.PrevItem != nil {
			s.item(ev.PrevItem, false)
		}
		if ev.Type == model.PutEvent {
			s.item(ev.Item, false)
		} else {
			s.note(ev.Revision, shownChange{key: ev.Item.Key, deleted: true})
		}
	}
}

// note takes in what is shown of a revision.
func (s *settling) note(rev int64, c shownChange) {
	s.newest = max(s.newest, rev)
	if rev > s.history.Initial.Revision && !s.isMade(rev) && !slices.Contains(s.shown[rev], c) {
		s.shown[rev] = append(s.shown[rev], c)
	}
}

func (s *settling) isMade(rev int64) bool {
	_, made := s.made[rev]
	return made
}

// gaps is the number of revisions that no write is known to have made.
func (s *settling) gaps() int64 { return s.newest - s.history.Initial.Revision - int64(len(s.made)) }

// fillGaps gives writes to revisions for as long as a revision has one write only that can
// have made it.
func (s *settling) fillGaps() {
	for found := true; found && len(s.lost) > 0; {
		found = false
		for _, rev := range slices.Sorted(maps.Keys(s.shown)) {
			if i := s.only(rev); i >= 0 {
				s.settle(i, rev)
				found = true
			}
		}
	}
	// The last write that is left made the last revision, whatever answers say of it.
	if len(s.lost) == 1 && s.gaps() == 1 {
		for rev := s.history.Initial.Revision + 1; rev <= s.newest; rev++ {
			if !s.isMade(rev) && s.allows(s.lost[0], rev) {
				s.settle(s.lost[0], rev)
				return
			}
		}
	}
}

// only is the one write that can have made what is shown of a revision, -1 if there are more, or
// none.
func (s *settling) only(rev int64) int {
	candidates := s.lost
	if put := slices.IndexFunc(s.shown[rev], func(c shownChange) bool { return !c.deleted }); put >= 0 {
		candidates = s.byKey[s.shown[rev][put].key]
	}
	one := -1
	for _, i := range candidates {
		if !s.isLost(i) || !s.mayMake(i, rev) {
			continue
		}
		if one >= 0 {
			return -1
		}
		one = i
	}
	return one
}

func (s *settling) isLost(i int) bool {
	_, found := slices.BinarySearch(s.lost, i)
	return found
}

// fits reports whether a request can have made all of this.
func (s *settling) fits(shown []shownChange, r *model.Request) bool {
	for _, branch := range [...][]model.Request{r.Success, r.Failure} {
		part := *r
		part.Success, part.Failure = branch, nil
		if !slices.ContainsFunc(shown, func(c shownChange) bool {
			return !items.Any(&part, func(r *model.Request) bool { return s.makes(r, c) })
		}) {
			return true
		}
	}
	return false
}

// makes reports whether a request that is no transaction can have made a change.
func (s *settling) makes(r *model.Request, c shownChange) bool {
	switch r.Kind {
	case model.Put:
		return !c.deleted && r.Key == c.key && (c.keyOnly || r.IgnoreValue || r.Value == c.value)
	case model.Delete:
		return c.deleted && model.InRange(c.key, r.Key, r.End)
	case model.LeaseRevoke:
		return c.deleted && slices.Contains(s.attached[r.Lease], c.key)
	}
	return false
}

// settle notes that a write made a revision.
func (s *settling) settle(i int, rev int64) {
	op := &s.history.Operations[i]
	if op.Outcome == model.Unknown {
		op.Commit = rev
	} else {
		answer := *op.Result
		answer.Revision = rev
		op.Result = &answer
	}
	s.made[rev] = i
	delete(s.shown, rev)
	at, _ := slices.BinarySearch(s.lost, i)
	s.lost = slices.Delete(s.lost, at, at+1)
}
