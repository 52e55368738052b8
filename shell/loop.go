package shell

import (
	"context"
	"sync"
	"time"

	"github.com/watchbed/watchbed/sim"
)

// loop owns a world: only its goroutine touches the world and its nodes.
type loop struct {
	world *sim.World
	began time.Time
	inbox chan happening
	// done is closed when the loop has ended.
	done chan struct{}
	// due is when the present step became possible: of a delivery, when the step
	// began in which the message was sent.
	due sim.Time

	// ctx ends what the nodes have started outside; running counts it.
	ctx     context.Context
	running sync.WaitGroup
}

// happening is something from outside, and the node that takes it in.
type happening struct {
	node sim.NodeID
	act  func(*sim.Env)
}

// inboxSize is the number of events that may wait. A goroutine that posts one
// more event blocks.
const inboxSize = 128

func newLoop(ctx context.Context) *loop {
	return &loop{
		world: sim.NewWorld(sim.Options{Mode: sim.Timed, Untraced: true}),
		began: time.Now(),
		inbox: make(chan happening, inboxSize),
		done:  make(chan struct{}),
		ctx:   ctx,
	}
}

// post hands something in. It returns false if the loop has ended.
func (l *loop) post(n sim.NodeID, act func(*sim.Env)) bool {
	select {
	case <-l.done:
		// There may still be room in the inbox.
		return false
	default:
	}
	select {
	case l.inbox <- happening{n, act}:
		return true
	case <-l.done:
		return false
	}
}

// start runs something of a node's outside the world. It has to end when its
// context does.
func (l *loop) start(f func(ctx context.Context)) {
	l.running.Go(func() { f(l.ctx) })
}

func (l *loop) now() sim.Time { return sim.Time(time.Since(l.began)) }

// run is the goroutine that owns the world.
func (l *loop) run() {
	defer close(l.done)
	l.world.Start(oldestFirst{})
	alarm := time.NewTimer(time.Hour)
	defer alarm.Stop()
	set := sim.Time(-1)
	for {
		next, pending := l.settle()
		if pending && next != set {
			alarm.Reset(next.Sub(l.world.Now()))
			set = next
		}
		select {
		case h := <-l.inbox:
			l.admit(h)
		case <-alarm.C:
			set = -1
		case <-l.ctx.Done():
			return
		}
	}
}

// admit takes in one happening, and those that came with it: they need not wait
// for what the first one leads to.
func (l *loop) admit(h happening) {
	l.world.AdvanceTo(l.now())
	for {
		l.world.Admit(oldestFirst{}, h.node, h.act)
		select {
		case h = <-l.inbox:
		default:
			return
		}
	}
}

// settle carries out everything that is due, and says when there will be more.
func (l *loop) settle() (next sim.Time, pending bool) {
	for {
		now := l.now()
		l.world.AdvanceTo(now)
		enabled := l.world.Enabled()
		if len(enabled) == 0 {
			return 0, false
		}
		if due := l.world.Due(enabled[0]); due > now {
			return due, true
		}
		oldest := enabled[oldestFirst{}.Pick(l.world, enabled)]
		l.due = l.world.Due(oldest)
		l.world.Do(oldestFirst{}, oldest)
	}
}
