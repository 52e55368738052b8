package v3rpc

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
)

// streamTask numbers the tasks of a stream.
type streamTask int

const (
	takeWatchStream streamTask = iota
	takeCtrlStream
	takeTicker
	continueSendLoop
	continueRecvLoop
	streamTasks
)

// Tasks is how many tasks a stream has.
const Tasks = int(streamTasks)

func (sws *ServerWatchStream) task(t streamTask) sim.Task { return sws.tasks + sim.Task(t) }

func (sws *ServerWatchStream) ticker() sim.Timer {
	return sws.server.numbers.Timer + sim.Timer(sws.place)
}

// streamTaskOf are the steps of the tasks, and what their names end in.
var streamTaskOf = [...]struct {
	step func(*ServerWatchStream, *sim.Env)
	name func(*ServerWatchStream) string
}{
	takeWatchStream:  {(*ServerWatchStream).takeWatchStream, func(*ServerWatchStream) string { return "takes watchStream" }},
	takeCtrlStream:   {(*ServerWatchStream).takeCtrlStream, func(*ServerWatchStream) string { return "takes ctrlStream" }},
	takeTicker:       {(*ServerWatchStream).takeTick, func(*ServerWatchStream) string { return "takes progressTicker" }},
	continueSendLoop: {(*ServerWatchStream).runSendLoop, func(sws *ServerWatchStream) string { return sendNames[sws.send.state] }},
	continueRecvLoop: {(*ServerWatchStream).runRecvLoop, func(sws *ServerWatchStream) string { return recvNames[sws.recv.state] }},
}

// Run takes a step of the loop of a stream, by its place and the number of the task
// there.
func (s *WatchServer) Run(env *sim.Env, place, task int) {
	streamTaskOf[task].step(s.streams[place], env)
}

// Fire: the progress ticker of the stream at a place ticks.
func (s *WatchServer) Fire(env *sim.Env, place int) { s.streams[place].tick(env) }

// TaskName names the task of a stream for people.
func (s *WatchServer) TaskName(place, task int) string {
	sws, loop := s.streams[place], "sendLoop "
	if streamTask(task) == continueRecvLoop {
		loop = "recvLoop "
	}
	return loop + sws.title() + " " + streamTaskOf[task].name(sws)
}

// TimerName names the ticker of a stream for people.
func (s *WatchServer) TimerName(place int) string {
	return "progressTicker " + s.streams[place].title()
}

// title names the stream for people: "cache.0".
func (sws *ServerWatchStream) title() string {
	return sws.watch.Name.Client + "." + strconv.Itoa(sws.watch.Name.Ordinal)
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
