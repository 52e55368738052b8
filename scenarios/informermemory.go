package scenarios

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Memory is what an API server keeps for the answers that its clients are still
// being sent, in bytes of objects of Params.ObjectBytes each (KEP-3157, "Goals").
// Both are the most at any one step.
//
// Counted are the objects of a LIST from its answer until the client has all of
// it, and the slots in use of the result channels of watchers. Not counted are
// the store, which is there anyway; the input channels and the intervals of
// watchers, which hold pointers into it; deep copies, encoders, compression and
// HTTP. A slot counts as a whole object: what it points to is a copy made for
// this watcher, unless the event was dispatched to all of them.
type Memory struct {
	// Lists are the objects in answers to LISTs, Streams those in channels.
	Lists, Streams int64
}

// Temporary is Lists with what it takes to make such an answer from what etcd
// sent: "around O(5*the_response_from_etcd)" (KEP-3157, "Motivation"). For one
// from the cache it says two to three times the answer ("Alternatives").
func (m *Memory) Temporary() int64 { return 5 * m.Lists }

var (
	listBytes = sim.NewMetric("list_response_bytes", sim.Bytes,
		"most bytes of objects in LIST answers that an API server was sending at one time, in each run")
	listTemporaryBytes = sim.NewMetric("list_temporary_bytes", sim.Bytes,
		"five times that: what KEP-3157 says such answers take")
	streamBytes = sim.NewMetric("watch_channel_bytes", sim.Bytes,
		"most bytes of objects in the channels of an API server's watchers at one time, in each run")
)

// after counts what one API server keeps after a step of one of its caches.
// Nothing can grow in the steps of others.
func (m *Memory) after(s *System, w *sim.World, a sim.Action) {
	for i := range s.servers {
		server := &s.servers[i]
		var now Memory
		acted := false
		for _, n := range server.caches {
			acted = acted || n == a.Node
		}
		if !acted {
			continue
		}
		for _, n := range server.caches {
			w.UnderWay(n, func(first *sim.Message, count int) {
				switch p := first.Payload.(type) {
				case *wire.ListResponse:
					now.Lists += int64(len(p.Items))
				case *wire.WatchEvent:
					now.Streams += int64(count)
				}
			})
		}
		size := int64(s.params.ObjectBytes)
		m.Lists, m.Streams = max(m.Lists, now.Lists*size), max(m.Streams, now.Streams*size)
	}
}

func (m *Memory) record(w *sim.World) {
	w.Record(listBytes, m.Lists)
	w.Record(listTemporaryBytes, m.Temporary())
	w.Record(streamBytes, m.Streams)
}

// Memory is what the last run took, if Params.ObjectBytes is set.
func (s *System) Memory() Memory { return s.memory }

var informerMemory = &Scenario{
	Name:    "informer-memory",
	Summary: "informers get all objects of 1 MB at the same time: memory for streams against memory for LISTs (KEP-3157)",
	Doc: `Bytes are counted (see "metrics" of simrun run --json). With items=400 and informers=16 or 1024 it is the manual test of
KEP-3157: with LISTs (informer-list=list-watch) 16 informers took an API server down, with streams 1,024 did not.`,
	Params: Params{
		Etcd: "3.5.13", Cache: "kep-2340", Assume: createdInOrder, Mode: sim.Timed,
		Writers: 1, Writes: 4, Read: "consistent", Caches: 1, AwaitReady: true, Keys: 2, Items: 20, ObjectBytes: 1_000_000,
		Informers: 4, InformerList: watchList,
		Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Think: time.Second,
		Horizon: 10 * time.Minute, Steps: 10_000_000,
	},
	Claims:   []string{InformerSyncs},
	Expected: func(*Params) []string { return nil },
	Possible: afterProgress,
}
