package debugger

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// loopNames are the loops of a node by how their timers and tasks begin, called as the function upstream. A name that
// ends in a space is completed by the word that follows: that of the stream, the watch or the handler.
var loopNames = map[story.Tier][]struct{ begins, loop string }{
	story.EtcdTier: {
		{"recvLoop ", "recvLoop "}, {"sendLoop ", "sendLoop "}, {"progressTicker ", "sendLoop "},
		{"syncWatchersLoop", "syncWatchersLoop"}, {"syncVictimsLoop", "syncVictimsLoop"}, {"scheduleCompaction", "scheduleCompaction"},
		{"applyLoop", "applyLoop"}, {"linearizableReadLoop", "linearizableReadLoop"}, {"retry of ReadIndex", "linearizableReadLoop"},
		{"Lease", "LeaseServer"}, {"lessor", "lessor"}, {"Range", "kvServer"}, {"Txn", "kvServer"}, {"Compact", "kvServer"}, {"request out of time", "kvServer"},
		{"Defrag", "maintenanceServer"}, {"leader", "raftNode"},
	},
	story.LibraryTier: {
		{"startWatching ", "startWatching "}, {"processEvents ", "processEvents "}, {"decode ", "processEvents "},
		{"run", watchGrpcStream}, {"backoff", watchGrpcStream}, {"retry ", "kv.Do"},
	},
	story.CacheTier: {
		{"hand over to the dispatcher", reflector}, {"list and watch again", reflector},
		{"dispatchEvents", "dispatchEvents"}, {"bookmark timer", "dispatchEvents"}, {"catch up slow watchers", "dispatchEvents"}, {"dispatch budget", "dispatchEvents"},
		{"progress requeste", progressRequester}, {"progress request period", progressRequester},
		{"consistency check", "consistencyChecker"}, {"compaction poll", "compactor"}, {"version of endpoint", "FeatureSupportChecker"},
		{"request that has its seats", "queueSet"}, {"longest wait for seats", "queueSet"},
		// The cache library of etcd, with a clientv3 of its own.
		{"watchEvents", "watchEvents"}, {"backoff of getWatch", "getWatchLoop"}, {"resync", "resyncLoop"}, {"progress", "progressRequestor"},
		{"run", watchGrpcStream}, {"backoff", watchGrpcStream}, {"retry ", "kv.Do"},
	},
	story.ClientTier: {
		{"process loop", "processLoop"}, {"processor", "sharedProcessor"}, {"handler ", "processorListener "}, {"watch synced ", "processorListener "},
		{"closes synced", "sharedProcessor"}, {"resync", "startResync"}, {"program", "program"}, {"worker", "worker"}, {"requeue", "worker"},
		{"backoff", reflector}, {"retry after", reflector}, {"watch timeout", reflector}, {"list timeout", reflector},
		{"consistency check again", reflector}, {"patience with a stream", reflector}, {"another shard", reflector},
	},
}

const (
	watchGrpcStream   = "watchGrpcStream.run"
	reflector         = "Reflector"
	progressRequester = "progressRequester"
	getList           = "GetList"
	cacheWatcher      = "cacheWatcher"
	guaranteedUpdate  = "GuaranteedUpdate"
)

// loops names the loop of its node in which each step runs; empty is the node itself. A step that takes a message runs in
// the loop that waits for it: where the connection was opened, if this node did that, and else where such a request is
// served.
type loops struct {
	*trace.Trace
	tiers map[sim.NodeID]story.Tier
	// of has the loop of each step so far.
	of []string
	// opened has by connection who sent the first message, and in which loop.
	opened map[sim.Conn]opener
	// served are the loops in which the other ends of connections are served.
	served map[sim.Conn]string
	// streams are the names of the streams of etcd by connection.
	streams map[sim.Conn]string
	// callers are for whom the tasks of reads and watches of a cache run, by the steps that show it.
	callers map[task][]caller
}

type opener struct {
	node sim.NodeID
	loop string
}

type task struct {
	node     sim.NodeID
	activity string
}

type caller struct {
	step int
	name string
}

func loopsOf(t *trace.Trace, tiers map[sim.NodeID]story.Tier) []string {
	l := &loops{t, tiers, nil, map[sim.Conn]opener{}, map[sim.Conn]string{}, map[sim.Conn]string{}, map[task][]caller{}}
	l.name()
	sent := 0
	for i := -1; i < len(t.Steps); i++ {
		if i >= 0 {
			l.of = append(l.of, l.loop(i))
		}
		for ; sent < len(t.Messages) && t.Messages[sent].Sent == i; sent++ {
			m := &t.Messages[sent]
			if _, open := l.opened[m.Conn]; open {
				continue
			}
			loop := ""
			if i >= 0 && t.Steps[i].Node == m.From {
				loop = l.of[i]
			}
			if loop == "" {
				loop = l.starts(m)
			}
			l.opened[m.Conn] = opener{m.From, loop}
		}
	}
	l.informers()
	return l.of
}

// informers: what a client with loops does otherwise its reflector does.
func (l *loops) informers() {
	with := make([]bool, len(l.Nodes))
	for i := range l.Steps {
		if n := l.Steps[i].Node; l.of[i] != "" && l.tiers[n] == story.ClientTier {
			with[n] = true
		}
	}
	for i := range l.Steps {
		if with[l.Steps[i].Node] && l.of[i] == "" {
			l.of[i] = reflector
		}
	}
}

// name finds out which connections the streams, the reads and the watches have: their steps send on them, and a task that
// goes on with what a message began is called as they are.
func (l *loops) name() {
	first := map[int]int{}
	for i := range l.Steps {
		if s := &l.Steps[i]; s.Kind == sim.Run && first[s.Since] == 0 {
			first[s.Since] = i
		}
	}
	for i := range l.Messages {
		m := &l.Messages[i]
		if next := first[m.Delivered]; m.Delivered >= 0 && next > 0 {
			l.call(m.Conn, m.From, next)
		}
		if m.Sent >= 0 {
			l.call(m.Conn, m.To, m.Sent)
		}
	}
}

// call names the connection with another node by the task that a step runs, or the task by the other node.
func (l *loops) call(c sim.Conn, other sim.NodeID, step int) {
	s := &l.Steps[step]
	if s.Kind != sim.Run {
		return
	}
	switch words := strings.Fields(s.Activity); {
	case l.tiers[s.Node] == story.EtcdTier && len(words) > 1 && (words[0] == "recvLoop" || words[0] == "sendLoop"):
		l.streams[c] = words[1]
	case l.tiers[s.Node] == story.CacheTier && other != 0 && l.tiers[other] == story.ClientTier:
		t := task{s.Node, s.Activity}
		l.callers[t] = append(l.callers[t], caller{step, l.Nodes[other]})
	}
}

func (l *loops) loop(step int) string {
	s := &l.Steps[step]
	switch {
	case s.Node == 0:
		return ""
	case s.Delivered < 0:
		return l.named(step)
	}
	m := &l.Messages[s.Delivered]
	if _, response := m.Payload.(*wire.WatchResponse); response && l.tiers[s.Node] != story.ClientTier {
		return watchGrpcStream
	}
	if by, open := l.opened[m.Conn]; open && by.node == s.Node {
		return by.loop
	}
	if l.served[m.Conn] == "" {
		l.served[m.Conn] = l.serves(m)
	}
	return l.served[m.Conn]
}

// named is the loop of a timer or a task.
func (l *loops) named(step int) string {
	s := &l.Steps[step]
	activity := strings.TrimPrefix(s.Activity, "timeout of ")
	for _, n := range loopNames[l.tiers[s.Node]] {
		rest, is := strings.CutPrefix(activity, n.begins)
		switch {
		case !is:
		case strings.HasSuffix(n.loop, " "):
			of, _, _ := strings.Cut(rest, " ")
			return n.loop + of
		default:
			return n.loop
		}
	}
	words := append(strings.Fields(activity), "", "")
	if l.tiers[s.Node] != story.CacheTier || words[0] != "read" && words[0] != "watcher" {
		return ""
	}
	of := handlers[words[2]]
	if of == "" {
		of = map[string]string{"read": getList, "watcher": cacheWatcher}[words[0]]
	}
	callers := l.callers[task{s.Node, activity}]
	if len(callers) == 0 {
		return of
	}
	i := slices.IndexFunc(callers, func(c caller) bool { return c.step >= step })
	return of + " " + callers[max(i, 0)].name
}

// handlers are what serves a request to the cache, by its verb.
var handlers = map[string]string{
	"LIST": getList, "GET": getList, "WATCH": cacheWatcher, "CREATE": guaranteedUpdate, "UPDATE": guaranteedUpdate, "DELETE": guaranteedUpdate,
}

// serves is the loop that takes a message over a connection which the other end opened.
func (l *loops) serves(m *trace.Message) string {
	from := l.Nodes[m.From]
	switch l.tiers[m.To] {
	case story.EtcdTier:
		switch m.Payload.(type) {
		case *wire.WatchCreateRequest, *wire.WatchCancelRequest, *wire.WatchProgressRequest:
			return strings.TrimSpace("recvLoop " + l.streams[m.Conn])
		case *wire.LeaseGrantRequest, *wire.LeaseRevokeRequest, *wire.LeaseKeepAliveRequest, *wire.LeaseTimeToLiveRequest:
			return "LeaseServer"
		}
		if l.tiers[m.From] == story.EtcdTier {
			return "raftNode"
		}
		return "kvServer"
	case story.LibraryTier:
		switch p := m.Payload.(type) {
		case *wire.WatchStart:
			return "startWatching " + p.Prefix
		case *wire.ProgressRequest:
			return watchGrpcStream
		}
		return "kv.Do"
	case story.CacheTier:
		switch m.Payload.(type) {
		case *wire.ListRequest, *wire.GetRequest:
			return getList + " " + from
		case *wire.WatchRequest, *sim.Hangup:
			return cacheWatcher + " " + from
		case *wire.CreateRequest, *wire.GuaranteedUpdateRequest, *wire.DeleteRequest:
			return guaranteedUpdate + " " + from
		case *wire.ReadyzRequest:
			return "readyz"
		}
	}
	return ""
}

// starts is the loop that sends a message as its node starts.
func (l *loops) starts(m *trace.Message) string {
	switch l.tiers[m.From] {
	case story.EtcdTier:
		return "raftNode"
	case story.CacheTier:
		return reflector
	}
	return ""
}
