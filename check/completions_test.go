package check

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
)

// small is a history of a few writes to two keys, made at random, and a watch over it. Some of the
// writes are not recorded, and the watch may have been sent what is wrong.
type small struct {
	rng     *rand.Rand
	writes  []*model.Request
	results []model.Result
	log     *model.Log
	history *model.History
	// missing are the revisions of which no recorded write is known to have made them.
	missing []int64
}

var (
	smallKeys    = []string{"a", "b"}
	smallValues  = []string{"1", "2"}
	smallInitial = model.Initial{Revision: 1}
)

func newSmall(seed uint64) *small {
	s := &small{rng: rand.New(rand.NewPCG(seed, 1)), log: model.NewLog(smallInitial)}
	store := model.NewStore(smallInitial)
	for len(s.writes) < 3+s.rng.IntN(3) {
		w := s.write(0)
		res := store.Apply(w)
		s.log.Append(w)
		if w.Changed(&res) {
			s.writes, s.results = append(s.writes, w), append(s.results, res)
		}
	}
	s.record()
	return s
}

func (s *small) key() string   { return smallKeys[s.rng.IntN(len(smallKeys))] }
func (s *small) value() string { return smallValues[s.rng.IntN(len(smallValues))] }

func (s *small) write(depth int) *model.Request {
	switch s.rng.IntN(4 - depth) {
	case 0:
		return &model.Request{Kind: model.Put, Key: s.key(), Value: s.value()}
	case 1:
		return &model.Request{Kind: model.Delete, Key: s.key()}
	case 2:
		if depth == 0 {
			return &model.Request{Kind: model.Delete, Key: "a", End: "c"}
		}
		return &model.Request{Kind: model.Put, Key: s.key(), Value: s.value()}
	}
	// What is put in one transaction is put once.
	txn := &model.Request{Kind: model.Txn, Success: []model.Request{*s.write(1)}, Failure: []model.Request{*s.write(1)}}
	if other := s.write(1); other.Key != txn.Success[0].Key {
		txn.Success = append(txn.Success, *other)
	}
	if s.rng.IntN(2) == 0 {
		txn.Compare = []model.Compare{{Key: s.key(), Target: model.CompareValue, Value: s.value()}}
	}
	return txn
}

// record leaves out one or two of the writes, and the answers of some others.
func (s *small) record() {
	s.history = &model.History{Clients: []string{"w"}, Initial: smallInitial, Partial: true}
	left := map[int]bool{s.rng.IntN(len(s.writes)): true, s.rng.IntN(len(s.writes)): true}
	for i, w := range s.writes {
		rev := smallInitial.Revision + 1 + int64(i)
		if left[i] {
			s.missing = append(s.missing, rev)
			continue
		}
		op := model.Operation{Call: int64(2 * i), Return: int64(2*i + 1), Request: w, Result: &s.results[i], Outcome: model.Done}
		if s.rng.IntN(4) == 0 {
			op.Outcome, op.Result, op.Commit, op.Return = model.Unknown, nil, rev, 1<<62
		}
		s.history.Operations = append(s.history.Operations, op)
	}
}

// watch is what etcd would have sent, over one stream or two, with a bookmark here and there.
func (s *small) watch() {
	first := smallInitial.Revision + 1
	request := model.WatchRequest{Key: "a", End: "c", StartRevision: first, PrevKV: s.rng.IntN(2) == 0}
	if s.rng.IntN(3) == 0 {
		request.End = ""
	}
	switch s.rng.IntN(6) {
	case 0:
		request.NoPut = true
	case 1:
		request.NoDelete = true
	}
	second := first + int64(s.rng.IntN(len(s.writes)))
	streams := []model.WatchStream{{Request: request, Responses: []model.WatchResponse{{Created: true, Revision: first - 1}}}}
	for rev := first; rev <= s.log.Revision(); rev++ {
		if rev == second && rev > first {
			request.StartRevision = rev
			streams = append(streams, model.WatchStream{Request: request, Responses: []model.WatchResponse{{Created: true, Revision: rev - 1}}})
		}
		to := &streams[len(streams)-1]
		var events []model.WatchEvent
		for _, e := range request.Changes(s.log, rev) {
			if request.Wants(e.Type, e.Item.Key) {
				if !request.PrevKV {
					e.PrevItem = nil
				}
				events = append(events, e)
			}
		}
		if len(events) > 0 {
			to.Responses = append(to.Responses, model.WatchResponse{Revision: rev, Events: events})
		}
		if s.rng.IntN(3) == 0 || rev == second-1 {
			to.Responses = append(to.Responses, model.WatchResponse{Revision: rev, Progress: true})
		}
	}
	s.history.Watchers = []model.Watcher{{Client: "c", Streams: streams}}
}

// tamper changes one thing that the watch was sent.
func (s *small) tamper() {
	streams := s.history.Watchers[0].Streams
	n := s.rng.IntN(len(streams))
	stream := &streams[n]
	at := s.rng.IntN(len(stream.Responses))
	r := &stream.Responses[at]
	switch next := at + 1; {
	case s.rng.IntN(4) > 0 || at == 0 || next == len(stream.Responses):
	case s.rng.IntN(2) == 0:
		stream.Responses[next], stream.Responses[at] = *r, stream.Responses[next]
		return
	default:
		again := *r
		again.Events = slices.Clone(r.Events)
		stream.Responses = slices.Insert(stream.Responses, next, again)
		return
	}
	if len(r.Events) == 0 {
		switch {
		case r.Progress:
			s.move(r)
		case n > 0:
			stream.Request.StartRevision++
		}
		return
	}
	e := &r.Events[s.rng.IntN(len(r.Events))]
	item := *e.Item
	switch s.rng.IntN(6) {
	case 0:
		item.Value = s.value()
	case 1:
		item.Key = s.key()
	case 2:
		e.Type = 1 - e.Type
	case 3:
		r.Events = slices.DeleteFunc(r.Events, func(o model.WatchEvent) bool { return o.Item == e.Item })
		return
	case 4:
		s.move(r)
		for i := range r.Events {
			moved := *r.Events[i].Item
			moved.ModRevision = r.Revision
			r.Events[i].Item, r.Events[i].Revision = &moved, r.Revision
		}
		return
	case 5:
		if e.PrevItem != nil {
			previous := *e.PrevItem
			previous.Value, previous.ModRevision = s.value(), previous.ModRevision+int64(s.rng.IntN(3))-1
			e.PrevItem = &previous
		}
	}
	e.Item = &item
}

// move gives a response the revision before it, or behind it: not behind the last one, since there
// could be any write behind that.
func (s *small) move(r *model.WatchResponse) {
	r.Revision = min(r.Revision+int64(s.rng.IntN(3))-1, s.log.Revision())
}

// unrecorded are the writes that can have made a revision, as far as two keys and the values in use go.
func unrecorded() []*model.Request {
	var all []*model.Request
	effects := []model.Request{{}, {Kind: model.Delete}}
	for _, v := range smallValues {
		effects = append(effects, model.Request{Kind: model.Put, Value: v})
	}
	for a, atA := range effects {
		for b, atB := range effects {
			txn := &model.Request{Kind: model.Txn}
			if a > 0 {
				atA.Key = "a"
				txn.Success = append(txn.Success, atA)
			}
			if b > 0 {
				atB.Key = "b"
				txn.Success = append(txn.Success, atB)
			}
			all = append(all, txn)
		}
	}
	return all
}

// possible says of each guarantee whether it holds with some writes in place of those that are not
// recorded. Nil: with none the recorded answers are right, which cannot be.
func (s *small) possible() map[string]bool {
	holds := map[string]bool{}
	writes := slices.Clone(s.writes)
	any := false
	var fill func(n int)
	fill = func(n int) {
		if n == len(s.missing) {
			log, right := s.answered(writes)
			if !right {
				return
			}
			any = true
			for _, j := range model.CheckWatch(s.history.Watchers[0].Streams, log) {
				holds[string(j.Guarantee)] = holds[string(j.Guarantee)] || j.Verdict != model.Violated
			}
			return
		}
		for _, w := range unrecorded() {
			writes[s.missing[n]-smallInitial.Revision-1] = w
			fill(n + 1)
		}
	}
	fill(0)
	if !any {
		return nil
	}
	return holds
}

// answered applies writes, one a revision. They are right if each makes its revision, and those that
// were answered are answered so.
func (s *small) answered(writes []*model.Request) (*model.Log, bool) {
	store, log := model.NewStore(smallInitial), model.NewLog(smallInitial)
	for _, w := range writes {
		res := store.Apply(w)
		log.Append(w)
		if !w.Changed(&res) {
			return nil, false
		}
		at := slices.IndexFunc(s.history.Operations, func(op model.Operation) bool { return op.Request == w })
		if at >= 0 && s.history.Operations[at].Result != nil && !reflect.DeepEqual(res, *s.history.Operations[at].Result) {
			return nil, false
		}
	}
	return log, true
}

func (s *small) String() string {
	text := fmt.Sprintf("missing %v\n", s.missing)
	for i, w := range s.writes {
		text += fmt.Sprintf("%d: %+v\n", smallInitial.Revision+1+int64(i), *w)
	}
	for _, stream := range s.history.Watchers[0].Streams {
		text += fmt.Sprintf("watch %+v\n", stream.Request)
		for _, r := range stream.Responses {
			text += fmt.Sprintf("  %d created=%v progress=%v\n", r.Revision, r.Created, r.Progress)
			for _, e := range r.Events {
				text += fmt.Sprintf("    %v at %d %+v, before %+v\n", e.Type, e.Revision, *e.Item, e.PrevItem)
			}
		}
	}
	return text
}

// TestWatchesOfPartialHistoriesAgainstEveryCompletion: a guarantee of a watch is violated only if it is
// so with everything that the writes which are not recorded can have done, and in more than half of these
// cases. The others take conclusions over several revisions, such as from the version of an item.
func TestWatchesOfPartialHistoriesAgainstEveryCompletion(t *testing.T) {
	impossible, said := map[string]int{}, map[string]int{}
	for seed := range uint64(testsize.Of(6000, 600)) {
		s := newSmall(seed)
		s.watch()
		for range s.rng.IntN(3) {
			s.tamper()
		}
		possible := s.possible()
		require.NotNil(t, possible, "%v", s)
		report, err := History(s.history, Options{})
		require.NoError(t, err)
		for _, j := range report.Judgements {
			holds, ofWatches := possible[j.Property]
			if !ofWatches || holds {
				require.False(t, ofWatches && j.Verdict == model.Violated, "seed %d: %s: %+v\n%v", seed, j.Property, j.Watch, s)
				continue
			}
			impossible[j.Property]++
			if j.Verdict == model.Violated {
				said[j.Property]++
			}
		}
	}
	for _, g := range []string{"ordered", "unique", "reliable", "resumable", "bookmarkable", "prevKV"} {
		t.Logf("%s: cannot hold in %d histories, violated in %d", g, impossible[g], said[g])
		assert.Greater(t, 2*said[g], impossible[g], g)
	}
}
