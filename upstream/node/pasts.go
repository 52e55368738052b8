package node

import (
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// recall is the message that asks for the snapshots of the cache.
var recall = new(protocol.Writer).Begin(protocol.Recall, 0).Bytes

// AscendSnapshots implements cache.Remembering. A clone of the guest is asked, so that the guest does the same
// whether judges look at its snapshots or not. Amid a critical section it shows none.
func (n *Node) AscendSnapshots(f func(until int64, ascend func(func(*wire.KeyValue) bool))) {
	if n.halfway() {
		return
	}
	var asked recalled
	if _, err := n.guest.Clone().Run(&asked, n.clock, recall); err != nil {
		panic(err)
	}
	r := protocol.Reader{Bytes: asked.answer}
	r.Begin()
	left := r.Int()
	if left == 0 {
		return
	}
	// Each snapshot stands for the state of the resource until the next one was taken.
	r.Int()
	for ; left > 1; left-- {
		objects := n.readContents(&r)
		f(r.Int()-1, objects.ascend)
	}
	f(n.shown.resourceVersion, n.readContents(&r).ascend)
}

// recalled is the host of a guest that is asked for its snapshots, and does nothing else.
type recalled struct{ answer []byte }

// Pick implements engine.Host. Goroutines that are late stay so.
func (*recalled) Pick(_ []engine.Goroutine, receives bool) int {
	if receives {
		return engine.None
	}
	return 0
}

// Select implements engine.Host.
func (*recalled) Select(engine.Goroutine, int) int { return 0 }

// Lock implements engine.Host.
func (*recalled) Lock(engine.Goroutine) bool { return false }

// CanSend implements engine.Host.
func (*recalled) CanSend(uint32) bool { return true }

// Send implements engine.Host.
func (r *recalled) Send(message []byte) { r.answer = append(r.answer, message...) }
