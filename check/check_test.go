package check

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/check/recorded"
	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/internal/recordings"
	"github.com/watchbed/watchbed/model"
)

// watched adds a watcher that was sent every change, as etcd sends them: with the items
// before, a bookmark behind each ten revisions, and a second stream from the middle on.
func watched(t *testing.T, h *model.History) *model.History {
	t.Helper()
	log, ends := recorded.Truth(h)
	require.Empty(t, ends)
	first := model.WatchStream{Request: model.WatchRequest{Key: "/", End: "0", StartRevision: log.First() + 1, PrevKV: true}}
	first.Responses = append(first.Responses, model.WatchResponse{Created: true, Revision: log.First()})
	var second model.WatchStream
	for rev := log.First() + 1; rev <= log.Revision(); rev++ {
		var events []model.WatchEvent
		before, after := log.At(rev-1), log.At(rev)
		before.Ascend("/", "0", func(it *model.Item) bool {
			if after.Get(it.Key) == nil {
				events = append(events, model.WatchEvent{Type: model.DeleteEvent, Item: &model.Item{Key: it.Key, ModRevision: rev}, PrevItem: it, Revision: rev})
			}
			return true
		})
		after.Ascend("/", "0", func(it *model.Item) bool {
			if it.ModRevision == rev {
				events = append(events, model.WatchEvent{Item: it, PrevItem: before.Get(it.Key), Revision: rev})
			}
			return true
		})
		to := &first
		if rev > log.First()+(log.Revision()-log.First())/2 {
			if to = &second; to.Responses == nil {
				second.Request = first.Request
				second.Request.StartRevision = rev
			}
		}
		to.Responses = append(to.Responses, model.WatchResponse{Revision: rev, Events: events})
		if rev%10 == 0 {
			to.Responses = append(to.Responses, model.WatchResponse{Revision: rev, Progress: true})
		}
	}
	out := *h
	out.Watchers = []model.Watcher{{Client: "w", Streams: []model.WatchStream{first, second}}}
	return &out
}

// throughFile writes and reads a history, so that what is judged is what a file has.
func throughFile(t *testing.T, h *model.History) *model.History {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, history.Write(&b, h))
	read, err := history.Read(&b)
	require.NoError(t, err)
	return read
}

func verdicts(t *testing.T, h *model.History, properties ...string) map[string]Judgement {
	t.Helper()
	r, err := History(h, Options{Properties: properties})
	require.NoError(t, err)
	all := map[string]Judgement{}
	for _, j := range r.Judgements {
		all[j.Property] = j
		require.Equal(t, j.Verdict == model.VerdictUnknown || j.Verdict == model.Vacuous, j.Reason != "", "%s is %v because %q", j.Property, j.Verdict, j.Reason)
		require.Equal(t, j.Verdict == model.Violated, j.Operations != nil || j.Watch != nil, j.Property)
	}
	return all
}

func TestWatchesOfRealHistories(t *testing.T) {
	for name, h := range recordings.Etcd() {
		all := verdicts(t, throughFile(t, watched(t, h)))
		for _, g := range []string{"linearizable", "ordered", "unique", "reliable", "resumable", "bookmarkable", "prevKV"} {
			require.Equal(t, model.Holds, all[g].Verdict, "%s: %s: %+v", name, g, all[g])
			require.Positive(t, all[g].Exercised, "%s: %s", name, g)
		}
	}
}

// Each way of tampering with a watch violates what it is named after.
func TestTamperedWatchesAreViolated(t *testing.T) {
	responses := func(h *model.History) *[]model.WatchResponse { return &h.Watchers[0].Streams[0].Responses }
	for guarantee, tamper := range map[string]func(h *model.History){
		"ordered": func(h *model.History) {
			r := *responses(h)
			r[1], r[2] = r[2], r[1]
		},
		"unique":   func(h *model.History) { r := responses(h); *r = slices.Insert(*r, 2, (*r)[1]) },
		"reliable": func(h *model.History) { r := responses(h); *r = slices.Delete(*r, 2, 3) },
		"resumable": func(h *model.History) {
			r := responses(h)
			*r = slices.Delete(*r, 1, 2)
		},
		"bookmarkable": func(h *model.History) {
			r := responses(h)
			*r = slices.Insert(*r, 1, model.WatchResponse{Revision: (*r)[1].Events[0].Revision, Progress: true})
		},
		"prevKV": func(h *model.History) {
			for _, r := range *responses(h) {
				for i := range r.Events {
					r.Events[i].PrevItem = &model.Item{Key: r.Events[i].Item.Key, Value: "ghost", ModRevision: 1}
				}
			}
		},
		"filter": func(h *model.History) { h.Watchers[0].Streams[0].Request.NoPut = true },
	} {
		for name, h := range recordings.Etcd() {
			h = throughFile(t, watched(t, h))
			tamper(h)
			all := verdicts(t, throughFile(t, h), guarantee)
			require.Equal(t, model.Violated, all[guarantee].Verdict, "%s: %s", name, guarantee)
		}
	}
}

// Where the write of a revision is not known, watches are judged up to it, and the reason
// says so.
func TestWatchesBehindAnUnknownWrite(t *testing.T) {
	for name, full := range recordings.Etcd() {
		h := watched(t, full)
		h.Operations = slices.Clone(h.Operations)
		last := int64(0)
		for i := range h.Operations {
			// No answer tells what the last two writes made, and no event does.
			op := &h.Operations[len(h.Operations)-1-i]
			if op.Outcome == model.Done && op.Request.Kind == model.Put && last < 2 {
				last++
				op.Outcome, op.Result, op.Return = model.Unknown, nil, 1<<63-1
			}
		}
		for i := range h.Watchers[0].Streams {
			for _, r := range h.Watchers[0].Streams[i].Responses {
				for k := range r.Events {
					it := *r.Events[k].Item
					it.Value = "other"
					r.Events[k].Item = &it
				}
			}
		}
		all := verdicts(t, throughFile(t, h), "ordered", "prevKV", "reliable")
		require.Equal(t, model.Holds, all["ordered"].Verdict, name)
		require.Equal(t, model.VerdictUnknown, all["prevKV"].Verdict, name)
		require.Contains(t, all["prevKV"].Reason, "it is not known which write made revision")
		require.Equal(t, model.Violated, all["reliable"].Verdict, "values before that are other than written")
	}
}

// Of watches beside writers that are not recorded, what needs no writes is judged still.
func TestWatchesOfPartialHistories(t *testing.T) {
	for name, full := range recordings.Etcd() {
		h := watched(t, full)
		h.Partial = true
		h.Operations = slices.DeleteFunc(slices.Clone(h.Operations), func(op model.Operation) bool { return op.Client == 0 })
		all := verdicts(t, throughFile(t, h))
		for _, g := range []string{"ordered", "unique"} {
			require.Equal(t, model.Holds, all[g].Verdict, "%s: %s", name, g)
			require.Greater(t, all[g].Exercised, 10)
		}
		require.Equal(t, model.VerdictUnknown, all["reliable"].Verdict, name)
		require.Contains(t, all["reliable"].Reason, "was made by a write that is not recorded")
		r := h.Watchers[0].Streams[1].Responses
		r[0], r[len(r)/2] = r[len(r)/2], r[0]
		all = verdicts(t, throughFile(t, h), "ordered")
		require.Equal(t, model.Violated, all["ordered"].Verdict, name)
	}
}

// TestCreatedIsRead after the watch is registered, in etcd 3.6: an event of that revision may come, and each later one
// must.
func TestCreatedIsRead(t *testing.T) {
	for name, h := range recordings.Etcd() {
		h = watched(t, h)
		s := &h.Watchers[0].Streams[0]
		s.Request.StartRevision = 0
		s.Responses[0].Revision++
		h.Watchers[0].Streams = h.Watchers[0].Streams[:1]
		require.Equal(t, model.Holds, verdicts(t, throughFile(t, h), "resumable", "reliable")["reliable"].Verdict, name)
		s.Responses = slices.Delete(s.Responses, 2, 3)
		require.Equal(t, model.Violated, verdicts(t, throughFile(t, h), "resumable", "reliable")["reliable"].Verdict, name)
	}
}
