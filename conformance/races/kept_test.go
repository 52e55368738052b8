package races

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// kv is what the race below puts.
var kv = wire.KeyValue{Key: "/race1/a", Value: "1", CreateRevision: 3, ModRevision: 3, Version: 1}

// written is a race that every server can have had, and with another revision in its read none can.
func written(read int64) *Race {
	moments := []Moment{
		{Client: stream, Sent: true, Payload: &wire.WatchCreateRequest{Key: "/race1/", RangeEnd: "/race1/\xff", StartRevision: 3}},
		{Client: stream, Payload: &wire.WatchResponse{Revision: 2, Created: true}},
		{Client: writer, Sent: true, Payload: &wire.PutRequest{Key: kv.Key, Value: kv.Value}},
		{Client: writer, Payload: &wire.PutResponse{Revision: 3}},
		{Client: stream, Payload: &wire.WatchResponse{Revision: 3, Events: []wire.Event{{Kv: &kv}}}},
		{Client: reader, Sent: true, Payload: &wire.RangeRequest{Key: kv.Key}},
		{Client: reader, Payload: &wire.RangeResponse{Revision: read, Kvs: []*wire.KeyValue{&kv}, Count: 1}},
	}
	return &Race{Version: "3.7.3", Begin: 2, Moments: moments}
}

func keptAndLoaded(t *testing.T, race *Race) *Race {
	t.Helper()
	name := filepath.Join(t.TempDir(), "kept.race")
	if err := race.Keep(name); err != nil {
		t.Fatal(err)
	}
	again, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// A race that was kept is the one that was recorded, and a search says the same of it.
func TestKeptRaces(t *testing.T) {
	for read, want := range map[int64]Verdict{3: Reached, 4: Unreachable} {
		race := written(read)
		again := keptAndLoaded(t, race)
		if !reflect.DeepEqual(race, again) {
			t.Errorf("%+v was kept as %+v", race, again)
		}
		for _, r := range []*Race{race, again} {
			result, err := r.In(r.Version, States)
			if err != nil {
				t.Fatal(err)
			}
			if result.Verdict != want {
				t.Errorf("a read of revision %d is %v, want %v", read, result.Verdict, want)
			}
		}
	}
}

// An unknown race can be decided with more states.
func TestUnknownRacesAreKept(t *testing.T) {
	folder := t.TempDir()
	tally := &Tally{Limit: 1, Keep: folder}
	if err := tally.Add(written(3), "3.7.3"); err != nil {
		t.Fatal(err)
	}
	if tally.Unknown != 1 || len(tally.Stories) != 0 {
		t.Fatalf("%s: want it unknown", tally)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.race"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v: want one file", files, err)
	}
	again, err := Load(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if result, err := again.In(again.Version, States); err != nil || result.Verdict != Reached {
		t.Errorf("%+v, %v: want it reached", result, err)
	}
}

// TestKeptPayloads: whatever a race has comes back, a branch of a transaction that deleted nothing included.
func TestKeptPayloads(t *testing.T) {
	race := written(3)
	for _, p := range []sim.Payload{
		&wire.DeleteRangeRequest{Key: "/race1/", RangeEnd: "/race1/\xff", PrevKv: true},
		&wire.DeleteRangeResponse{Revision: 4, Deleted: 1, PrevKvs: []*wire.KeyValue{&kv}},
		&wire.TxnRequest{
			Compare: []wire.Compare{{Key: kv.Key, Target: wire.CompareVersion}},
			Success: []wire.RequestOp{{Put: &wire.PutRequest{Key: kv.Key}}}, Failure: []wire.RequestOp{{Range: &wire.RangeRequest{Key: kv.Key}}},
		},
		&wire.TxnResponse{Revision: 5, Succeeded: true, Responses: []wire.ResponseOp{{Put: &wire.PutResponse{}}, {DeleteRange: &wire.DeleteRangeResponse{}}}},
		&wire.CompactionRequest{Revision: 3}, &wire.CompactionResponse{Revision: 5}, &wire.Error{Code: wire.ErrCompacted, Message: "compacted"},
		&wire.WatchCancelRequest{WatchID: 1}, &wire.WatchProgressRequest{},
	} {
		race.Moments = append(race.Moments, Moment{Client: stream, Payload: p})
	}
	again := keptAndLoaded(t, race)
	for i := range race.Moments {
		if want, got := race.Moments[i], again.Moments[i]; !reflect.DeepEqual(want, got) {
			t.Errorf("%+v was kept as %+v", want.Payload, got.Payload)
		}
	}
}

func TestNoRace(t *testing.T) {
	if _, err := Load(filepath.Join(t.TempDir(), "none.race")); err == nil || !strings.Contains(err.Error(), "none.race") {
		t.Errorf("%v: want the name of the file", err)
	}
}
