package faults

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// pods is the prefix of the resource of which something gets lost.
const pods = "/registry/pods/"

// TestOneEventOfAResponseIsLost: of a response of etcd one event of the resource is lost or changed, and the others
// arrive.
func TestOneEventOfAResponseIsLost(t *testing.T) {
	other, first, second := put("/registry/nodes/a", "other", 2), put(pods+"a", "first", 3), put(pods+"a", "second", 4)
	deleted := wire.Event{Type: wire.Delete, Kv: &wire.KeyValue{Key: pods + "a", ModRevision: 5}}
	for _, c := range []struct {
		lost       string
		sent, want []wire.Event
	}{
		{"event", []wire.Event{other, first, second}, []wire.Event{other, second}},
		{"event", []wire.Event{deleted, first}, []wire.Event{first}},
		{"event", []wire.Event{first}, nil},
		{"deletion", []wire.Event{first, deleted}, []wire.Event{first}},
		{"value", []wire.Event{deleted, first}, []wire.Event{deleted, put(pods+"a", "", 3)}},
		{"version", []wire.Event{first, changed(4)}, []wire.Event{first, changed(3)}},
	} {
		t.Run(c.lost, func(t *testing.T) {
			of := losses[c.lost]
			f := of.onTheWay([]sim.NodeID{1}, 2, "pods", pods)
			before := &wire.WatchResponse{Revision: 5, Events: c.sent}
			require.True(t, f.Match(before))
			after := f.Instead(before)
			assert.Equal(t, c.sent, before.Events, "etcd keeps its own")
			if c.want == nil {
				assert.Nil(t, after, "a response without events would be a progress notification")
				return
			}
			assert.Equal(t, c.want, after.(*wire.WatchResponse).Events)
		})
	}
}

// TestOtherResponsesAreNotLost: progress, events of other resources, and changes of another kind than the lost kind.
func TestOtherResponsesAreNotLost(t *testing.T) {
	for _, c := range []struct {
		lost   string
		events []wire.Event
	}{
		{"event", nil},
		{"event", []wire.Event{put("/registry/nodes/a", "other", 2)}},
		{"deletion", []wire.Event{put(pods+"a", "first", 3)}},
		{"value", []wire.Event{put(pods+"a", "", 3)}},
		{"version", []wire.Event{put(pods+"a", "created", 3)}},
		{"version", []wire.Event{{Type: wire.Delete, Kv: &wire.KeyValue{Key: pods + "a", ModRevision: 5}}}},
	} {
		of := losses[c.lost]
		f := of.onTheWay([]sim.NodeID{1}, 2, "pods", pods)
		assert.False(t, f.Match(&wire.WatchResponse{Revision: 5, Events: c.events}), "%s of %v", c.lost, c.events)
	}
}

func put(key, value string, revision int64) wire.Event {
	return wire.Event{Type: wire.Put, Kv: &wire.KeyValue{Key: key, Value: value, ModRevision: revision}}
}

// changed is the event of an object that was there before.
func changed(revision int64) wire.Event {
	e := put(pods+"a", "changed", revision)
	e.PrevKv = &wire.KeyValue{Key: pods + "a", Value: "first", ModRevision: 2}
	return e
}
