package etcdtest

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/watchbed/watchbed/sim"
)

// loop owns the world: only its goroutine touches the world and its nodes.
type loop struct {
	world  *sim.World
	choose sim.Chooser
	// settle waits until all other goroutines wait, nil outside of a bubble: there is no telling.
	settle func()
	began  time.Time
	// quantum is how far time goes on at once, 0 for no matter how little. What comes within it is under way together, so
	// that its order is drawn.
	quantum time.Duration
	// heal is when nothing breaks any more, 0 if nothing does.
	heal sim.Time

	processes []*process
	// wrote is when a client was answered a write last.
	wrote  atomic.Int64
	mu     sync.Mutex
	inbox  []happening
	closed bool
	come   chan struct{}
	// stopping is closed when the run is over, stopped when the goroutine has ended.
	stopping, stopped chan struct{}
}

// happening is something from outside, and the node that takes it in. What several goroutines do at the same time is
// taken in by its order, and by its name within that, so that the scheduler of Go decides less.
type happening struct {
	node  sim.NodeID
	order order
	name  string
	act   func(*sim.Env)
}

// order is that of what comes at the same time.
type order int

const (
	onStream order = iota
	calls
	givesUp
)

func newLoop(w *sim.World, c sim.Chooser, settle func()) *loop {
	return &loop{
		world: w, choose: c, settle: settle, began: time.Now(),
		come: make(chan struct{}, 1), stopping: make(chan struct{}), stopped: make(chan struct{}),
	}
}

// post hands something in. It returns false if the run is over.
func (l *loop) post(h happening) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.inbox = append(l.inbox, h)
	signal(l.come)
	return true
}

// stop ends the goroutine of the loop.
func (l *loop) stop() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	close(l.stopping)
	<-l.stopped
}

func (l *loop) now() sim.Time { return sim.Time(time.Since(l.began).Truncate(l.quantum)) }

// run is the goroutine that owns the world. In a bubble it takes a step only when all other goroutines wait, so that
// the seed decides all but the order in which the goroutines between two steps run.
func (l *loop) run() {
	defer close(l.stopped)
	l.world.Start(l.choose)
	alarm := time.NewTimer(time.Hour)
	defer alarm.Stop()
	handed := true
	for {
		if l.settle != nil && handed {
			l.settle()
		}
		handed = l.admit()
		if l.heal > 0 && l.now() >= l.heal {
			l.heal = 0
			l.world.Heal()
		}
		wait := time.Duration(-1)
		if enabled := l.world.Enabled(); len(enabled) > 0 {
			now := l.now()
			if due := l.world.Due(enabled[0]); due > now {
				wait = max(0, time.Duration(due)-time.Since(l.began))
			} else {
				l.world.AdvanceTo(now)
				l.world.Do(l.choose, enabled[l.choose.Pick(l.world, enabled)])
				for _, p := range l.processes {
					p.release()
					handed = handed || p.handed
					p.handed = false
				}
				select {
				case <-l.stopping:
					return
				default:
					continue
				}
			}
		}
		if handed {
			continue
		}
		alarm.Stop()
		if wait >= 0 {
			alarm.Reset(wait)
		}
		select {
		case <-l.come:
		case <-alarm.C:
		case <-l.stopping:
			return
		}
		handed = true
	}
}

// admit takes in what has come from outside, that of each process in its order, and reports whether there was anything.
func (l *loop) admit() bool {
	l.mu.Lock()
	all := l.inbox
	l.inbox = nil
	l.mu.Unlock()
	if len(all) == 0 {
		return false
	}
	slices.SortStableFunc(all, func(a, b happening) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.order, b.order), cmp.Compare(a.name, b.name))
	})
	l.world.AdvanceTo(l.now())
	for _, h := range all {
		l.world.Admit(l.choose, h.node, h.act)
	}
	return true
}
