package races

import (
	"github.com/watchbed/watchbed/sim/wire"
	"strconv"
	"testing"
)

// notified is a race in which several watches of one range are sent each of a few writes, and the
// watchers were notified in one order for one write, and in another for the next.
func notified() *Race {
	const watches, writes = 5, 4
	race := &Race{Version: "3.5.7", Begin: 2, OnFollower: true}
	note := func(m Moment) { race.Moments = append(race.Moments, m) }
	for range watches {
		note(Moment{Client: stream, Sent: true, Payload: &wire.WatchCreateRequest{Key: "/race1/", RangeEnd: "/race1/\xff"}})
	}
	for i := range int64(watches) {
		note(Moment{Client: stream, Payload: &wire.WatchResponse{WatchID: i, Revision: 2, Created: true}})
	}
	for i := range int64(writes) {
		rev := 3 + i
		kv := &wire.KeyValue{Key: "/race1/a", Value: strconv.Itoa(int(i)), CreateRevision: 3, ModRevision: rev, Version: i + 1}
		note(Moment{Client: writer, Sent: true, Payload: &wire.PutRequest{Key: kv.Key, Value: kv.Value}})
		note(Moment{Client: writer, Payload: &wire.PutResponse{Revision: rev}})
		for n := range int64(watches) {
			id := (n*3 + 2*i) % watches
			note(Moment{Client: stream, Payload: &wire.WatchResponse{WatchID: id, Revision: rev, Events: []wire.Event{{Kv: kv}}}})
		}
	}
	return race
}

// Each write can notify five watchers in 120 orders. A wrong one is found before sendLoop has come
// to it: the search enters about half as many states then.
func TestWrongOrderOfNotificationIsFoundAtOnce(t *testing.T) {
	const enough = 1200
	race := notified()
	result, err := race.In(race.Version, States)
	if err != nil {
		t.Fatal(err)
	}
	if result.Verdict != Reached || result.States > enough {
		t.Errorf("%v after %d states, want it reached after at most %d", result.Verdict, result.States, enough)
	}
}
