package etcd

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
)

// The loops of the server come after those of the store. Then follow, for each
// place of a stream or of a read, slotTasks more: those of a stream and that of a
// read.
const (
	applyLoop = mvcc.Tasks + iota
	linearizableReadLoop
	firstSlotTask
)

const (
	readTask  = v3rpc.Tasks
	slotTasks = v3rpc.Tasks + 1
)

// The timers of the server come after those of the store. Then follow the streams'
// progress tickers.
const (
	rangeTimer = mvcc.Timers + iota
	unclogTimer
	leaderTimer
	leaseTimer
	defragmentTimer
	readIndexTimer
	diskTimer
	requestTimer
	firstTicker
)

// timers are those of the server itself: what they are called, and what follows when they fire. That of a Range is
// called as its handler.
var timers = [firstTicker]struct {
	name string
	fire func(*Server, *sim.Env)
}{
	rangeTimer:      {"", (*Server).finishRange},
	unclogTimer:     {"unclog", func(s *Server, env *sim.Env) { s.watch.Unclog(env) }},
	leaderTimer:     {"leader", (*Server).leaderTimerFires},
	leaseTimer:      {"lessor", (*Server).leaseTimerFires},
	defragmentTimer: {"Defrag ends", (*Server).defragmented},
	readIndexTimer:  {"retry of ReadIndex", (*Server).retryReadIndex},
	diskTimer:       {"disk is back", (*Server).diskIsBack},
	requestTimer:    {"request out of time", (*Server).requestsTimeOut},
}

// slotOf takes the number of a task of a stream or a read apart.
func slotOf(t sim.Task) (place, task int) {
	n := int(t - firstSlotTask)
	return n / slotTasks, n % slotTasks
}

// Run implements sim.Node.
func (s *Server) Run(env *sim.Env, t sim.Task) {
	switch {
	case t < mvcc.Tasks:
		s.store.Run(env, t)
		s.removed(env)
	case t == applyLoop:
		s.runApplyLoop(env)
	case t == linearizableReadLoop:
		s.runLinearizableReadLoop(env)
	default:
		place, task := slotOf(t)
		if task == readTask {
			s.runRead(env, int32(place))
		} else {
			s.watch.Run(env, place, task)
		}
	}
}

// Fire implements sim.Node.
func (s *Server) Fire(env *sim.Env, t sim.Timer) {
	switch {
	case t < mvcc.Timers:
		s.store.Fire(env, t)
		s.removed(env)
	case t < firstTicker:
		timers[t].fire(s, env)
	default:
		s.watch.Fire(env, int(t-firstTicker))
	}
}

// TaskName implements sim.Node.
func (s *Server) TaskName(t sim.Task) string {
	switch {
	case t < mvcc.Tasks:
		return s.store.TaskName(t)
	case t == applyLoop:
		return "applyLoop"
	case t == linearizableReadLoop:
		if s.reads.confirmed != 0 {
			return "linearizableReadLoop notifies"
		}
		return "linearizableReadLoop"
	}
	place, task := slotOf(t)
	if task == readTask {
		return s.reads.at(int32(place)).name()
	}
	return s.watch.TaskName(place, task)
}

// TimerName implements sim.Node.
func (s *Server) TimerName(t sim.Timer) string {
	switch {
	case t < mvcc.Timers:
		return s.store.TimerName(t)
	case t == rangeTimer:
		return s.reads.at(s.readCost.current).name()
	case t < firstTicker:
		return timers[t].name
	default:
		return s.watch.TimerName(int(t - firstTicker))
	}
}

// name names the handler for people: "Range reader.0".
func (r *read) name() string { return r.handler() + " " + r.client + "." + strconv.Itoa(r.ordinal) }
