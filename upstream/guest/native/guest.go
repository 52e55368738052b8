package native

import (
	"bytes"
	"testing/synctest"
	"time"

	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/guest/apiserver"
	"github.com/watchbed/watchbed/upstream/node"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// Guest is a run of the storage, with its etcd and its clients outside. Everything but New is called in one bubble. The
// feature gates and the version of etcd that Kubernetes believes in are those of a process: a bubble has one such
// guest.
type Guest struct {
	// under is the run under way, nil before its first message.
	under *run
}

var _ node.Guest = (*Guest)(nil)

// run is a storage that has started.
type run struct {
	bubble
	outside
	server *apiserver.Server
	inbox  chan []byte
}

func (r *run) receive() {
	for message := range r.inbox {
		r.server.Receive(protocol.Reader{Bytes: message})
	}
}

// Run implements node.Guest. It begins with what the time makes due, and then takes the message.
func (g *Guest) Run(h engine.Host, now int64, message []byte) (until int64, err error) {
	r := g.under
	if r == nil {
		r = &run{bubble: newBubble(), inbox: make(chan []byte)}
		r.server = apiserver.New(&r.outside, func(answer func()) { go answer() })
		g.under = r
		go r.receive()
	}
	r.advance(now)
	if message != nil {
		r.inbox <- bytes.Clone(message)
	}
	synctest.Wait()
	for _, m := range r.take() {
		h.Send(m)
	}
	return r.next()
}

// Reset implements node.Guest: what is under way ends, and nothing of it is heard any more.
func (g *Guest) Reset() {
	if r := g.under; r != nil {
		g.under = nil
		close(r.inbox)
		r.server.Stop()
	}
}

// Leave resets the guest, and waits for what goes on until its time is over: a bubble ends when all of its goroutines
// have.
func (g *Guest) Leave() {
	g.Reset()
	time.Sleep(longest)
}

// longest is longer than any goroutine waits for a time that it does not give up.
const longest = time.Hour

// Clone implements node.Guest.
func (*Guest) Clone() node.Guest {
	panic("native: a native program cannot be cloned; a search needs a guest in WebAssembly")
}
