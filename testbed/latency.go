package testbed

import (
	"slices"

	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/wire"
)

// Stage is a part of the way of an event from its commit in etcd to the client of a cache.
type Stage uint8

// The stages, in the order of the way.
const (
	// EtcdApply: until the member that serves the watch has applied the event.
	EtcdApply Stage = iota
	// EtcdWatchers: until the event is in the channel of a watch stream. A synced watcher has it there at once.
	EtcdWatchers
	// EtcdStream: until sendLoop has sent it.
	EtcdStream
	Network
	// ClientBuffer: until the etcd3 watcher has taken it from clientv3, and has room for it.
	ClientBuffer
	Decode
	// Ingestion: until the cache has it.
	Ingestion
	// Dispatch: until it is in the channel of a watcher of the cache.
	Dispatch
	// WatcherChannel: until the watcher has sent it.
	WatcherChannel
	// Delivery: until the client has it.
	Delivery
	// Inside: where the API server is a program, in place of those between the network and delivery.
	Inside
	Stages
)

var stageTexts = [Stages][2]string{
	EtcdApply:      {"etcd-apply", "from when a member of etcd applies an event until that one has which serves the watch"},
	EtcdWatchers:   {"etcd-watchers", "until it is in the channel of a watch stream"},
	EtcdStream:     {"etcd-stream", "until sendLoop has sent it"},
	Network:        {"network", "until it has come to the API server, or to a client of etcd"},
	ClientBuffer:   {"client-buffer", "until it has left the buffers of clientv3"},
	Decode:         {"decode", "until it is decoded"},
	Ingestion:      {"ingestion", "until the cache has it"},
	Dispatch:       {"dispatch", "until it is in the channel of a watcher; once for each watcher"},
	WatcherChannel: {"watcher-channel", "until the watcher has sent it"},
	Delivery:       {"delivery", "until the client has it"},
	Inside:         {"inside", "from when it has come to an API server that is a program until that has sent it"},
}

func (s Stage) String() string { return stageTexts[s][0] }

// next is the stage where an event has to find room.
func (s Stage) next() Stage {
	if s == Inside {
		return Delivery
	}
	return s + 1
}

var (
	stageMetrics = func() (all [Stages]metric.Metric) {
		for s, text := range stageTexts {
			all[s] = metric.New(`watch_event_stage_seconds{stage="`+text[0]+`"}`, metric.Nanoseconds, text[1])
		}
		return all
	}()
	wholeWay = metric.New("watch_event_seconds", metric.Nanoseconds, "from when a member of etcd applies an event until a client of a cache has it")
	// What Kubernetes 1.38 measures of the same events, from the points at which it takes its times.
	upstreamTotal = metric.New(`apiserver_watch_events_dispatch_duration_seconds{stage="total"}`, metric.Nanoseconds,
		"from when the etcd3 watcher has parsed an event until the watcher has sent it")
	upstreamStorageToCache = metric.New(`apiserver_watch_events_dispatch_duration_seconds{stage="storage_to_cache"}`, metric.Nanoseconds,
		"from when the etcd3 watcher has parsed an event that was sent until the cache has it")
	upstreamCacherQueue = metric.New(`apiserver_watch_events_dispatch_duration_seconds{stage="cacher_queue_latency"}`, metric.Nanoseconds,
		"from when the cache has an event that was sent until the dispatcher takes it")
)

// latency follows events on their way, and records how long they are in each stage. An event that a watcher is sent
// from the history counts up to the cache only, unless it found the watcher's channel full.
type latency struct {
	system *System
	// at is when events came to where a stage begins.
	at map[place]sim.Time
	// channels are the events that watchers of a cache have for a client.
	channels map[Queue][]waiting
	// asked are the requests of watches that have come to a cache or to the client library, by their connections.
	asked     map[sim.Conn]askedWatch
	listeners []func(*sim.World, *Passage)
	// stream is that of the response which is sent next; streams numbers all of them.
	stream  mvcc.StreamName
	streams map[mvcc.StreamName]int64
}

// Passage is an event that has left a stage.
type Passage struct {
	Stage Stage
	// Revision is 0 if something else has passed: a watch is registered, or a bookmark or an event of the history is
	// sent.
	Revision int64
	// Queue is where events of the stage wait for one another, and Next that of the next stage, where they may wait for
	// room.
	Queue, Next  Queue
	Began, Ended sim.Time
}

// Queue is a node, a stream of a node, a connection, or the watchers of one client at a cache.
type Queue [2]int64

// OnPassage calls a judge with each event that has left a stage, in each run of the system.
func (s *System) OnPassage(f func(*sim.World, *Passage)) {
	l := Shared(s, newLatency)
	l.listeners = append(l.listeners, f)
}

type askedWatch struct {
	client sim.NodeID
	at     sim.Time
}

// place is where an event is: the stage that begins there.
type place struct {
	stage Stage
	of    Queue
	rev   int64
}

// waiting is an event in the channel of a watcher.
type waiting struct {
	rev   int64
	since sim.Time
}

// Places where no stage begins: an event is parsed and, at a cache, dispatched.
const (
	parsedPlace = Stages + iota
	dispatchPlace
)

func newLatency(s *System) *latency {
	return &latency{system: s, at: map[place]sim.Time{}, channels: map[Queue][]waiting{}, asked: map[sim.Conn]askedWatch{}, streams: map[mvcc.StreamName]int64{}}
}

func (l *latency) Reset() {
	clear(l.at)
	clear(l.channels)
	clear(l.asked)
	clear(l.streams)
	l.stream = mvcc.StreamName{}
}

func (l *latency) Observe(w *sim.World, e *sim.Event) {
	switch e.Kind {
	case sim.Noted:
		if said, ok := e.Note.(sim.Said); ok {
			l.noted(w, e.Node, said)
		}
	case sim.Sent:
		switch p := e.Message.Payload.(type) {
		case *wire.WatchResponse:
			l.sentByEtcd(w, &e.Message, p)
		case *wire.WatchEvent:
			l.sentByCache(w, &e.Message, p)
		case *sim.Hangup:
			l.ended(e.Message.From, e.Message.To)
		}
	case sim.Acted:
		if m := w.Pending(e.Action); m != nil {
			l.delivered(w, m)
		}
	}
}

func (l *latency) noted(w *sim.World, n sim.NodeID, said sim.Said) {
	node := Queue{int64(n)}
	switch rev := said.About().Revision; sim.NoteName(said) {
	case "etcd.applied":
		if rev > 0 {
			l.begin(w, place{stage: EtcdApply, rev: rev})
			l.begin(w, place{EtcdWatchers, node, rev})
		}
	case "mvcc.registered", "mvcc.registeredUnsynced", "mvcc.registeredAhead":
		l.moved(w, EtcdWatchers, l.streamOf(n, said.Gap(0).(mvcc.StreamName)))
	case "mvcc.posted":
		if evs, ok := said.Gap(0).(mvcc.Revisions); ok {
			l.at[place{EtcdStream, l.streamOf(n, said.Gap(1).(mvcc.StreamName)), evs.Last}] = w.Now()
		}
	case "v3rpc.sent":
		l.stream = said.Gap(1).(mvcc.StreamName)
	case "etcd3.parsed":
		l.pass(w, ClientBuffer, place{ClientBuffer, node, rev}, place{Decode, node, rev})
	case "cache.takesIn":
		l.pass(w, Ingestion, place{Ingestion, node, rev}, place{Dispatch, node, rev})
	case "etcdcache.broadcasts":
		l.pass(w, ClientBuffer, place{ClientBuffer, node, rev}, place{Dispatch, node, rev})
		l.at[place{Ingestion, node, rev}] = w.Now()
	case "etcdcache.stores":
		if began, known := l.at[place{Ingestion, node, rev}]; known {
			l.passed(w, &Passage{Ingestion, rev, node, node, began, w.Now()})
		}
	case "etcdcache.enqueues":
		if asked := l.asked[said.Gap(1).(sim.Conn)]; l.at[place{Dispatch, node, rev}] >= asked.at {
			l.given(w, n, asked.client, rev)
		}
	case "dispatch.waits":
		l.begin(w, place{dispatchPlace, node, said.Gap(0).(int64)})
	case "dispatch.missed":
		l.given(w, n, said.Gap(1).(sim.NodeID), rev)
	case "dispatch.given":
		if said.Gap(0) == "event" {
			l.given(w, n, said.Gap(2).(sim.NodeID), rev)
		}
	}
}

func (l *latency) knows(p place) bool {
	_, known := l.at[p]
	return known
}

// pass ends a stage that an event began at a place, and begins the next one.
func (l *latency) pass(w *sim.World, s Stage, from, to place) {
	began, known := l.at[from]
	if known {
		l.passed(w, &Passage{s, from.rev, from.of, to.of, began, w.Now()})
	}
	l.at[to] = w.Now()
}

func (l *latency) passed(w *sim.World, p *Passage) {
	if p.Revision > 0 {
		w.Record(stageMetrics[p.Stage], int64(p.Ended.Sub(p.Began)))
	}
	for _, f := range l.listeners {
		f(w, p)
	}
}

// moved: something else than a new event goes through a stage.
func (l *latency) moved(w *sim.World, s Stage, of Queue) {
	l.passed(w, &Passage{Stage: s, Queue: of, Began: w.Now(), Ended: w.Now()})
}

// begin: an event is for the first time where a stage begins.
func (l *latency) begin(w *sim.World, p place) {
	if !l.knows(p) {
		l.at[p] = w.Now()
	}
}

// streamOf is a stream of a member of etcd.
func (l *latency) streamOf(member sim.NodeID, name mvcc.StreamName) Queue {
	number, known := l.streams[name]
	if !known {
		number = int64(len(l.streams))
		l.streams[name] = number
	}
	return Queue{int64(member), number}
}

// given: an event waits for its watcher. Only the first watcher of an event shows when the dispatcher has taken it.
func (l *latency) given(w *sim.World, cache, client sim.NodeID, rev int64) {
	l.begin(w, place{dispatchPlace, Queue{int64(cache)}, rev})
	of, cacheOf := Queue{int64(cache), int64(client)}, Queue{int64(cache)}
	if taken, known := l.at[place{Dispatch, cacheOf, rev}]; known {
		l.passed(w, &Passage{Dispatch, rev, cacheOf, of, taken, w.Now()})
	}
	l.channels[of] = append(l.channels[of], waiting{rev, w.Now()})
}

// ended: what a watch of a client still had for it is not sent any more.
func (l *latency) ended(cache, client sim.NodeID) {
	delete(l.channels, Queue{int64(cache), int64(client)})
}

// sentByEtcd: a response has the events that were posted together, unless it is a fragment.
func (l *latency) sentByEtcd(w *sim.World, m *sim.Message, p *wire.WatchResponse) {
	if l.system.Role(m.From).Part != EtcdMember {
		return
	}
	if len(p.Events) == 0 {
		l.moved(w, EtcdStream, l.streamOf(m.From, l.stream))
		return
	}
	conn := Queue{int64(m.Conn)}
	last := place{EtcdStream, l.streamOf(m.From, l.stream), p.Events[len(p.Events)-1].Kv.ModRevision}
	posted, known := l.at[last]
	delete(l.at, last)
	for i := range p.Events {
		rev := p.Events[i].Kv.ModRevision
		member := Queue{int64(m.From)}
		if applied, ok := l.at[place{EtcdWatchers, member, rev}]; ok && known {
			l.passed(w, &Passage{EtcdApply, rev, member, last.of, l.at[place{stage: EtcdApply, rev: rev}], applied})
			l.passed(w, &Passage{EtcdWatchers, rev, last.of, last.of, applied, posted})
			l.passed(w, &Passage{EtcdStream, rev, last.of, conn, posted, w.Now()})
		}
		l.at[place{Network, conn, rev}] = w.Now()
	}
}

// sentByCache: an event leaves the etcd3 watcher of an API server, or a watcher of its cache.
func (l *latency) sentByCache(w *sim.World, m *sim.Message, p *wire.WatchEvent) {
	rev, from, to := p.ResourceVersion, Queue{int64(m.From)}, Queue{int64(m.To)}
	if l.system.Role(m.From).Part == ClientLibrary {
		decode := place{Decode, from, rev}
		parsed, known := l.at[decode]
		if !known || p.Item == nil || parsed < l.asked[m.Conn].at {
			l.moved(w, Decode, from)
			return
		}
		l.at[place{parsedPlace, to, rev}] = parsed
		l.pass(w, Decode, decode, place{Ingestion, to, rev})
		return
	}
	of, conn := Queue{int64(m.From), int64(m.To)}, Queue{int64(m.Conn)}
	// A watch that the client has left may have the event of one that it has begun.
	asked := l.asked[m.Conn].at
	i := slices.IndexFunc(l.channels[of], func(x waiting) bool { return x.rev == rev && x.since >= asked })
	came, program := l.at[place{ClientBuffer, from, rev}]
	switch {
	case p.Item == nil:
		l.moved(w, WatcherChannel, of)
		l.moved(w, Inside, of)
		return
	case i >= 0:
		l.passed(w, &Passage{WatcherChannel, rev, of, conn, l.channels[of][i].since, w.Now()})
		l.channels[of] = slices.Delete(l.channels[of], i, i+1)
	case program && came >= asked && !l.knows(place{Dispatch, from, rev}):
		l.passed(w, &Passage{Inside, rev, of, conn, came, w.Now()})
	default:
		l.moved(w, WatcherChannel, of)
		l.moved(w, Inside, of)
		return
	}
	l.at[place{Delivery, conn, rev}] = w.Now()
	parsed, known := l.at[place{parsedPlace, from, rev}]
	if taken, ok := l.at[place{Dispatch, from, rev}]; ok && known {
		w.Record(upstreamTotal, int64(w.Now().Sub(parsed)))
		w.Record(upstreamStorageToCache, int64(taken.Sub(parsed)))
		w.Record(upstreamCacherQueue, int64(l.at[place{dispatchPlace, from, rev}].Sub(taken)))
	}
}

// delivered: a message comes to its node in the step that begins.
func (l *latency) delivered(w *sim.World, m *sim.Message) {
	conn, to := Queue{int64(m.Conn)}, Queue{int64(m.To)}
	switch p := m.Payload.(type) {
	case *sim.Hangup:
		l.ended(m.To, m.From)
	case *wire.WatchRequest, *wire.WatchStart:
		l.asked[m.Conn] = askedWatch{m.From, w.Now()}
	case *wire.WatchResponse:
		for i := range p.Events {
			// Of watches on one stream each is sent the event, and the last one counts.
			under := place{Network, conn, p.Events[i].Kv.ModRevision}
			if l.knows(under) {
				l.pass(w, Network, under, place{ClientBuffer, to, under.rev})
				delete(l.at, under)
			} else {
				l.at[place{ClientBuffer, to, under.rev}] = w.Now()
			}
		}
	case *wire.WatchEvent:
		under := place{Delivery, conn, p.ResourceVersion}
		began, known := l.at[under]
		if !known || p.Item == nil {
			l.moved(w, Delivery, conn)
			return
		}
		delete(l.at, under)
		l.passed(w, &Passage{Delivery, under.rev, conn, Queue{}, began, w.Now()})
		if applied, ok := l.at[place{stage: EtcdApply, rev: under.rev}]; ok {
			w.Record(wholeWay, int64(w.Now().Sub(applied)))
		}
	}
}
