package etcd_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// The recordings of real servers: conformance/recorded says what is in them,
// and records them anew.
type recording struct {
	Script struct {
		Name  string
		Steps [][]action
	}
	Outcomes []*outcome
}

type action struct {
	Put *struct {
		Key, Value string
		Size       int
	}
	Delete  *struct{ Key, End string }
	Compact *struct{ Revision int64 }
	Create  *struct {
		Key, End         string
		ID               int64
		StartRevision    int64
		PrevKV, Fragment bool
		Filters          []string
	}
	Cancel          *struct{ ID int64 }
	ProgressRequest bool
}

type outcome struct {
	Times     map[string]int
	Responses [][]response
}

type response struct {
	Revision, ID      int64
	Created, Canceled bool
	CancelReason      string
	CompactRevision   int64
	Fragment          bool
	Events            []event
}

type event struct {
	Type string
	item
	Prev *item
}

type item struct {
	Key, Value           string
	Size                 int
	Create, Mod, Version int64
}

func recordings(t *testing.T) []*recording {
	files, err := filepath.Glob("testdata/watch-scripts/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var all []*recording
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		r := &recording{}
		require.NoError(t, json.Unmarshal(data, r), f)
		all = append(all, r)
	}
	return all
}

// TestRealServersAnswerTheSame plays each script to the simulated server, at
// rest after each step as the real ones were. What it answers to each step must
// have been seen, and all that was seen of its version it must be able to
// answer.
func TestRealServersAnswerTheSame(t *testing.T) {
	for _, r := range recordings(t) {
		for _, version := range []string{"3.5.7", "3.5.12", "3.5.35", "3.6.16"} {
			t.Run(r.Script.Name+"/"+version, func(t *testing.T) {
				seen := make([]bool, len(r.Outcomes))
				for seed := range uint64(40) {
					got := play(t, version, r, rand.New(rand.NewPCG(seed, 0)), rest)
					for i := range got {
						if !r.saw(version, i, got[i]) {
							text, _ := json.MarshalIndent(got[i], "", " ")
							t.Fatalf("seed %d: no real server of this version answered step %d like this:\n%s", seed, i, text)
						}
					}
					for i, o := range r.Outcomes {
						seen[i] = seen[i] || reflect.DeepEqual(o.Responses, got)
					}
				}
				for i, o := range r.Outcomes {
					require.True(t, seen[i] || o.Times[version] == 0, "outcome %d was never reached", i)
				}
			})
		}
	}
}

// TestRandomSchedulesIncludeWhatRealServersDid plays each script in schedules
// where loops, timers and messages come in any order. They lead to answers that
// a clock makes rare as well, but whatever a real server was seen to answer is
// among them.
func TestRandomSchedulesIncludeWhatRealServersDid(t *testing.T) {
	const schedules = 3000
	for _, r := range recordings(t) {
		for _, version := range []string{"3.5.7", "3.5.12", "3.5.35", "3.6.16"} {
			t.Run(r.Script.Name+"/"+version, func(t *testing.T) {
				var missing []*outcome
				for _, o := range r.Outcomes {
					if o.Times[version] > 0 {
						missing = append(missing, o)
					}
				}
				require.NotEmpty(t, missing)
				for seed := uint64(0); seed < schedules && len(missing) > 0; seed++ {
					rnd := rand.New(rand.NewPCG(seed, 1))
					got := play(t, version, r, rnd, func(b *bench) { anyRest(b, rnd) })
					missing = slices.DeleteFunc(missing, func(o *outcome) bool { return reflect.DeepEqual(o.Responses, got) })
				}
				require.Empty(t, missing, "never answered in %d schedules", schedules)
			})
		}
	}
}

// saw reports whether a version answered so to a step. If it answered the script
// in several ways the order of watchers was open: then an answer that only
// another version gave is luck.
func (r *recording) saw(version string, step int, got []response) bool {
	ways := 0
	for _, o := range r.Outcomes {
		if o.Times[version] > 0 {
			ways++
		}
	}
	for _, o := range r.Outcomes {
		if (o.Times[version] > 0 || ways > 1) && reflect.DeepEqual(o.Responses[step], got) {
			return true
		}
	}
	return false
}

// play plays the script, with rest after each step.
func play(t *testing.T, version string, r *recording, rnd *rand.Rand, rest func(*bench)) [][]response {
	b := newBench(t, version)
	for range 100 {
		b.Choices = append(b.Choices, rnd.IntN(1<<20))
	}
	var all [][]response
	for _, step := range r.Script.Steps {
		for _, a := range step {
			a.do(b)
		}
		rest(b)
		responses := []response{}
		for _, p := range b.user.told {
			if w, ok := p.(*wire.WatchResponse); ok {
				responses = append(responses, translate(w))
			}
		}
		b.user.told = nil
		all = append(all, responses)
	}
	return all
}

// rest lets everything happen that can, then the timers, until nothing is left.
func rest(b *bench) {
	for {
		armed := b.settle().names()
		if len(armed) == 0 {
			return
		}
		b.Act(armed[0])
	}
}

// anyRest lets anything happen, timers included, until nothing is left.
func anyRest(b *bench, rnd *rand.Rand) {
	for {
		var can []sim.Action
		for _, a := range b.World.Enabled() {
			if a.Kind != sim.Inject && (a.Kind != sim.Run || b.World.Node(a.Node) != sim.Node(b.user)) {
				can = append(can, a)
			}
		}
		if len(can) == 0 {
			return
		}
		b.World.Do(b, can[rnd.IntN(len(can))])
	}
}

func (a *action) do(b *bench) {
	switch {
	case a.Put != nil:
		v := a.Put.Value
		if a.Put.Size > 0 {
			v = strings.Repeat("x", a.Put.Size)
		}
		b.put(a.Put.Key, v)
	case a.Delete != nil:
		b.write("delete", &wire.DeleteRangeRequest{Key: a.Delete.Key, RangeEnd: a.Delete.End})
	case a.Compact != nil:
		b.write("compact", &wire.CompactionRequest{Revision: a.Compact.Revision})
	case a.Create != nil:
		req := &wire.WatchCreateRequest{
			Key: a.Create.Key, RangeEnd: a.Create.End, WatchID: a.Create.ID, StartRevision: a.Create.StartRevision,
			PrevKv: a.Create.PrevKV, Fragment: a.Create.Fragment,
		}
		for _, f := range a.Create.Filters {
			req.Filters |= map[string]wire.FilterType{"noput": wire.NoPut, "nodelete": wire.NoDelete}[f]
		}
		b.request("w", req)
	case a.Cancel != nil:
		b.request("w", &wire.WatchCancelRequest{WatchID: a.Cancel.ID})
	case a.ProgressRequest:
		b.request("w", &wire.WatchProgressRequest{})
	}
}

func translate(r *wire.WatchResponse) response {
	out := response{
		Revision: r.Revision, ID: r.WatchID, Created: r.Created, Canceled: r.Canceled, CancelReason: r.CancelReason,
		CompactRevision: r.CompactRevision, Fragment: r.Fragment,
	}
	for i := range r.Events {
		e := &r.Events[i]
		x := event{Type: "put", item: translateItem(e.Kv)}
		if e.Type == wire.Delete {
			x.Type = "delete"
		}
		if e.PrevKv != nil {
			prev := translateItem(e.PrevKv)
			x.Prev = &prev
		}
		out.Events = append(out.Events, x)
	}
	return out
}

func translateItem(kv *wire.KeyValue) item {
	it := item{Key: kv.Key, Value: kv.Value, Create: kv.CreateRevision, Mod: kv.ModRevision, Version: kv.Version}
	if len(kv.Value) >= 64 {
		it.Value, it.Size = "", len(kv.Value)
	}
	return it
}
