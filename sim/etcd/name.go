package etcd

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
)

// TaskName implements sim.Node.
func (s *Server) TaskName(t sim.Task) string {
	switch t {
	case applyLoop:
		return "applyLoop"
	case linearizableReadLoop:
		if s.confirmed != 0 {
			return "linearizableReadLoop notifies"
		}
		return "linearizableReadLoop"
	case syncVictimsLoop:
		return "syncVictimsLoop " + [...]string{"sleeps", "takes victims", "sends", "assigns"}[s.victims.state]
	case scheduleCompaction:
		return "scheduleCompaction"
	}
	slot := int(t-firstStreamTask) / slotTasks
	k := streamTask(int(t-firstStreamTask) % slotTasks)
	if k == readTask {
		r := &s.reads[slot]
		return r.handler() + " " + r.client + "." + strconv.Itoa(r.ordinal)
	}
	sws := s.streams[slot]
	switch k {
	case takeWatchStream:
		return "sendLoop " + sws.title() + " takes watchStream"
	case takeCtrlStream:
		return "sendLoop " + sws.title() + " takes ctrlStream"
	case takeTicker:
		return "sendLoop " + sws.title() + " takes progressTicker"
	case continueSendLoop:
		return "sendLoop " + sws.title() + " " + sendNames[sws.send.state]
	default:
		return "recvLoop " + sws.title() + " " + recvNames[sws.recv.state]
	}
}

var sendNames = [...]string{
	selecting: "selects", readingPrevKV: "reads prevKV", sending: "sends", afterSend: "after Send",
	ticking: "requests progress", stopped: "stopped",
}

var recvNames = [...]string{
	recvIdle: "receives", recvNext: "receives", recvWatch: "watches", recvFlags: "stores flags",
	recvCreated: "answers created", recvCancel: "cancels", recvForget: "forgets watcher",
	recvCanceled: "answers canceled", recvDropFlags: "drops flags", recvProgress: "requests progress",
	recvBlocked: "blocked", recvChannelFull: "blocked",
}

// TimerName implements sim.Node.
func (s *Server) TimerName(t sim.Timer) string {
	switch t {
	case syncWatchersLoop:
		return "syncWatchersLoop"
	case syncVictimsTick:
		return "syncVictimsLoop"
	case compactionSleep:
		return "scheduleCompaction"
	case rangeTimer:
		r := &s.reads[s.readCost.current]
		return "Range " + r.client + "." + strconv.Itoa(r.ordinal)
	case unclogTimer:
		return "unclog"
	default:
		return "progressTicker " + s.streams[t-firstTicker].title()
	}
}
