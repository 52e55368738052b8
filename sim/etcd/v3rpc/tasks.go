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

// streamTaskOf are the steps of the tasks, and what they are called. A task that continues a loop is called as its
// state.
var streamTaskOf = [...]struct {
	name string
	step func(*ServerWatchStream, *sim.Env)
}{
	takeWatchStream:  {"takes watchStream", (*ServerWatchStream).takeWatchStream},
	takeCtrlStream:   {"takes ctrlStream", (*ServerWatchStream).takeCtrlStream},
	takeTicker:       {"takes progressTicker", (*ServerWatchStream).takeTick},
	continueSendLoop: {"", (*ServerWatchStream).runSendLoop},
	continueRecvLoop: {"", (*ServerWatchStream).runRecvLoop},
}

// Run takes a step of the loop of a stream, by its place and the number of the task
// there.
func (s *WatchServer) Run(env *sim.Env, place, task int) {
	streamTaskOf[task].step(s.streams.At(place), env)
}

// Fire: the progress ticker of the stream at a place ticks.
func (s *WatchServer) Fire(env *sim.Env, place int) { s.streams.At(place).tick(env) }

// TaskName names the task of a stream for people.
func (s *WatchServer) TaskName(place, task int) string {
	sws, loop, does := s.streams.At(place), "sendLoop ", streamTaskOf[task].name
	switch streamTask(task) {
	case continueSendLoop:
		does = sendStates[sws.send.state].name
	case continueRecvLoop:
		loop, does = "recvLoop ", recvStates[sws.recv.state].name
	}
	return loop + sws.title() + " " + does
}

// TimerName names the ticker of a stream for people.
func (s *WatchServer) TimerName(place int) string {
	return "progressTicker " + s.streams.At(place).title()
}

// title names the stream for people: "cache.0".
func (sws *ServerWatchStream) title() string {
	return sws.watch.Name.Client + "." + strconv.Itoa(sws.watch.Name.Ordinal)
}
