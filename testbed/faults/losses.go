package faults

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
)

// loss is the part of an event that may get lost on its way to a cache. Each leaves another
// kind of divergence: an old object, a missing object, an object that etcd has deleted, an
// object of etcd's revision without a value, an object of etcd's value with another revision.
type loss struct {
	label string
	// strikes says which changes of an object count: put or deleted, at a revision.
	strikes func(put bool, item *wire.KeyValue, revision int64) bool
	// changed is what becomes of the object. Without it the whole event is lost.
	changed func(item *wire.KeyValue)
	// needsPrevious: an event that etcd sends has to say what the object was before.
	needsPrevious bool
}

// lostSnapshot is no loss on the way: the cache itself keeps no snapshot of the state
// after an event.
const lostSnapshot = "snapshot"

var losses = map[string]loss{
	"":         wholeEvent,
	"event":    wholeEvent,
	"deletion": {label: "deletion of ", strikes: func(put bool, _ *wire.KeyValue, _ int64) bool { return !put }},
	"value": {
		label:   "value of ",
		strikes: func(put bool, item *wire.KeyValue, _ int64) bool { return put && item.Value != "" },
		changed: func(item *wire.KeyValue) { item.Value = "" },
	},
	"version": {
		label:         "version of ",
		strikes:       func(put bool, item *wire.KeyValue, revision int64) bool { return put && item.ModRevision == revision },
		changed:       func(item *wire.KeyValue) { item.ModRevision-- },
		needsPrevious: true,
	},
}

var wholeEvent = loss{label: "event of ", strikes: func(bool, *wire.KeyValue, int64) bool { return true }}

// onTheWay is the loss of an event of a resource on its way to a cache: a client library hands it on, or, to a cache
// that brings one of its own, a member of etcd sends it. Of several events in one response of etcd it is the first.
func (l *loss) onTheWay(from []sim.NodeID, to sim.NodeID, name, prefix string) *sim.LoseMessage {
	return &sim.LoseMessage{
		From: from, To: to, Label: l.label + name,
		Match: func(p sim.Payload) bool {
			switch p := p.(type) {
			case *wire.WatchEvent:
				return (isPut(p) || p.Type == wire.Deleted) && l.strikes(isPut(p), p.Item, p.ResourceVersion)
			case *wire.WatchResponse:
				return l.first(p, prefix) >= 0
			}
			return false
		},
		Instead: func(p sim.Payload) sim.Payload {
			if e, ok := p.(*wire.WatchEvent); ok {
				return l.ofEvent(e)
			}
			return l.ofResponse(p.(*wire.WatchResponse), prefix)
		},
	}
}

func isPut(e *wire.WatchEvent) bool { return e.Type == wire.Added || e.Type == wire.Modified }

// ofEvent is what arrives of an event, nil if nothing does.
func (l *loss) ofEvent(e *wire.WatchEvent) sim.Payload {
	if l.changed == nil {
		return nil
	}
	arrives := *e
	arrives.Item = l.of(e.Item)
	return &arrives
}

// ofResponse is what arrives of a response of etcd. One without events would be a progress notification: then nothing
// does.
func (l *loss) ofResponse(r *wire.WatchResponse, prefix string) sim.Payload {
	at, arrives := l.first(r, prefix), *r
	arrives.Events = slices.Clone(r.Events)
	switch {
	case l.changed != nil:
		arrives.Events[at].Kv = l.of(r.Events[at].Kv)
	case len(r.Events) == 1:
		return nil
	default:
		arrives.Events = slices.Delete(arrives.Events, at, at+1)
	}
	return &arrives
}

// first is the place of the first event of a response that is struck, -1 if none is. etcd's client library takes a
// changed object for a created one if nothing says what it was before, and refuses it: of such an event the revision
// cannot be another one.
func (l *loss) first(r *wire.WatchResponse, prefix string) int {
	return slices.IndexFunc(r.Events, func(e wire.Event) bool {
		return strings.HasPrefix(e.Kv.Key, prefix) && l.strikes(e.Type == wire.Put, e.Kv, e.Kv.ModRevision) && (!l.needsPrevious || e.PrevKv != nil)
	})
}

// of is the object as it arrives.
func (l *loss) of(item *wire.KeyValue) *wire.KeyValue {
	changed := *item
	l.changed(&changed)
	return &changed
}

// Orders makes the faults that are orders to members of etcd. What lasts ends at a time.
type Orders interface {
	// LoseLeader has the cluster have no leader.
	LoseLeader(members []sim.NodeID, label string, until sim.Time) sim.Fault
	// ChangeLeader has it have another one.
	ChangeLeader(members []sim.NodeID, label string) sim.Fault
	// Failover has a member go away for good, and clients ask the next one.
	Failover(member sim.NodeID, label string) sim.Fault
	// EndStream ends a watch stream of one of these nodes in order.
	EndStream(member sim.NodeID, label string, from []sim.NodeID) sim.Fault
	// Clog has nothing get through on their watch streams.
	Clog(member sim.NodeID, label string, from []sim.NodeID, until sim.Time) sim.Fault
	// Defragment has the member defragment its backend: meanwhile it applies nothing and begins no read.
	Defragment(member sim.NodeID, label string, until sim.Time) sim.Fault
}

// Simulated are the orders to the simulated server.
type Simulated struct{}

func (Simulated) LoseLeader(members []sim.NodeID, label string, until sim.Time) sim.Fault {
	return etcd.LoseLeader(members, label, until)
}

func (Simulated) ChangeLeader(members []sim.NodeID, label string) sim.Fault {
	return etcd.Fail(members[0], label, etcd.LeaderChanges)
}

func (Simulated) Failover(member sim.NodeID, label string) sim.Fault {
	return &etcd.Failover{Node: member, Label: label}
}

func (Simulated) EndStream(member sim.NodeID, label string, from []sim.NodeID) sim.Fault {
	return etcd.EndStream(member, label, from)
}

func (Simulated) Clog(member sim.NodeID, label string, from []sim.NodeID, until sim.Time) sim.Fault {
	return etcd.Clog(member, label, from, until)
}

func (Simulated) Defragment(member sim.NodeID, label string, until sim.Time) sim.Fault {
	return etcd.Defragment(member, label, until)
}
