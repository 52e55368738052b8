package check

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/recordings"
	"github.com/watchbed/watchbed/model"
)

// inPart is a watched history without the operations of one client.
func inPart(t *testing.T, full *model.History, gone int) *model.History {
	h := watched(t, full)
	h.Partial = true
	h.Operations = slices.DeleteFunc(slices.Clone(h.Operations), func(op model.Operation) bool { return op.Client == gone })
	return h
}

// TestRightWatchesWithoutAWriter: no watch of a real recording is violated because a client is not recorded.
func TestRightWatchesWithoutAWriter(t *testing.T) {
	for name, full := range recordings.Etcd() {
		for gone := range full.Clients {
			r, err := History(inPart(t, full, gone), Options{})
			require.NoError(t, err)
			for _, j := range r.Judgements {
				require.NotEqual(t, model.Violated, j.Verdict, "%s without %s: %s: %+v", name, full.Clients[gone], j.Property, j.Watch)
			}
		}
	}
}

// TestRightWatchesWithoutSomeWrites: nor because any of its writes are not recorded, or their answers.
func TestRightWatchesWithoutSomeWrites(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, full := range recordings.Etcd() {
		for range 20 {
			h := watched(t, full)
			h.Partial = true
			kept := h.Operations[:0:0]
			for _, op := range h.Operations {
				switch left := rng.IntN(4); {
				case left == 0:
					continue
				case left == 1 && op.Outcome == model.Done && op.Request.IsWrite():
					// What became of it is known, or not.
					if op.Outcome = model.Unknown; rng.IntN(2) == 0 && op.Request.Changed(op.Result) {
						op.Commit = op.Result.Revision
					}
					op.Result = nil
				}
				kept = append(kept, op)
			}
			h.Operations = kept
			r, err := History(h, Options{})
			require.NoError(t, err)
			for _, j := range r.Judgements {
				require.NotEqual(t, model.Violated, j.Verdict, "%s: %s: %+v %+v", name, j.Property, j.Watch, j.Operations)
			}
		}
	}
}

// TestWatchesContradictRecordedWrites: behind a revision that no recorded write made, a watch is held
// against those that one made.
func TestWatchesContradictRecordedWrites(t *testing.T) {
	for guarantee, tamper := range map[string]func(r *model.WatchResponse){
		"value": func(r *model.WatchResponse) {
			it := *r.Events[0].Item
			it.Value = "WRONG"
			r.Events[0].Item = &it
		},
		"type": func(r *model.WatchResponse) {
			r.Events[0].Type = model.DeleteEvent
		},
		"missing": func(r *model.WatchResponse) { r.Events = nil },
		"bookmark": func(r *model.WatchResponse) {
			r.Events, r.Progress = nil, true
		},
		"previous": func(r *model.WatchResponse) {
			it := model.Item{Key: r.Events[0].Item.Key, Value: "ghost", ModRevision: r.Events[0].Revision}
			r.Events[0].PrevItem = &it
		},
	} {
		t.Run(guarantee, func(t *testing.T) {
			of := 0
			for name, full := range recordings.Etcd() {
				h := inPart(t, full, 0)
				k := newRecordedWrites(h)
				responses := h.Watchers[0].Streams[0].Responses
				i := 0
				for n := range responses[:len(responses)-1] {
					r := &responses[n]
					if len(r.Events) == 1 && r.Events[0].Type == model.PutEvent && k.lastBefore(r.Revision+1, r.Events[0].Item.Key) == r.Revision {
						i = n
					}
				}
				if i == 0 {
					continue
				}
				of++
				tamper(&responses[i])
				want := map[string]string{"bookmark": "bookmarkable", "previous": "prevKV"}[guarantee]
				if want == "" {
					want = "reliable"
				}
				require.Equal(t, model.Violated, verdicts(t, h, want)[want].Verdict, name)
			}
			require.Positive(t, of)
		})
	}
}

// TestRightWatchesDoNotContradictThemselves: neither those of recordings nor those of random writes.
func TestRightWatchesDoNotContradictThemselves(t *testing.T) {
	for name, full := range recordings.Etcd() {
		h := watched(t, full)
		h.Partial, h.Operations = true, nil
		all := verdicts(t, h, "prevKV")
		require.Len(t, all, 1, "that nothing else is wrong says nothing of what was not sent")
		require.Equal(t, model.Holds, all["prevKV"].Verdict, name)
	}
	for seed := range uint64(2000) {
		s := newSmall(seed)
		s.watch()
		require.Empty(t, byItself(&s.history.Watchers[0]), "seed %d: %v", seed, s)
	}
}
