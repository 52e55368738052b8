package mvcc

import "github.com/watchbed/watchbed/sim"

// The loops of the store. The server's other tasks are numbered from Tasks on.
const (
	syncVictimsLoop sim.Task = iota
	scheduleCompaction
	Tasks
)

// The timers of the store. The server's other timers are numbered from Timers on.
const (
	syncWatchersLoop sim.Timer = iota
	syncVictimsTick
	compactionSleep
	Timers
)

// Run takes a step of one of the loops.
func (s *WatchableStore) Run(env *sim.Env, t sim.Task) {
	switch t {
	case syncVictimsLoop:
		s.victims.run(env)
	case scheduleCompaction:
		s.scheduleCompaction(env)
	}
}

// Fire takes a step for one of the timers.
func (s *WatchableStore) Fire(env *sim.Env, t sim.Timer) {
	switch t {
	case syncWatchersLoop:
		s.runSyncWatchersLoop(env)
	case syncVictimsTick:
		s.victims.state = victimsTake
		s.victims.run(env)
	case compactionSleep:
		s.scheduleCompaction(env)
	}
}

// TaskName names a loop for people.
func (s *WatchableStore) TaskName(t sim.Task) string {
	if t == scheduleCompaction {
		return "scheduleCompaction"
	}
	return "syncVictimsLoop " + [...]string{"sleeps", "takes victims", "sends", "assigns"}[s.victims.state]
}

// TimerName names a timer for people.
func (s *WatchableStore) TimerName(t sim.Timer) string {
	return [...]string{syncWatchersLoop: "syncWatchersLoop", syncVictimsTick: "syncVictimsLoop", compactionSleep: "scheduleCompaction"}[t]
}
