package sim

import "time"

// Time is a reading of the virtual clock, in nanoseconds since the start.
type Time int64

// Duration is virtual time that passes between two readings.
type Duration = time.Duration

// Sub is the time between two readings.
func (t Time) Sub(u Time) Duration { return Duration(t - u) }

// Mode says what a clock means.
type Mode uint8

const (
	// Untimed: any armed timer may fire at any point and any message may take
	// arbitrarily long. There is no clock in state or fingerprint. Everything
	// that real time allows can happen, and more: an over-approximation, right
	// for safety and for proofs.
	Untimed Mode = iota
	// Timed: every delay is a recorded choice when it begins, and the earliest
	// comes next. Right for liveness and cost.
	Timed
)

func (m Mode) String() string {
	if m == Timed {
		return "timed"
	}
	return "untimed"
}

// Delay is a range of durations that a choice picks from: one of Steps+1
// evenly spaced values. Few steps make short recordings that shrink well.
type Delay struct {
	Min, Max Duration
	Steps    int
}

// Bounds are the delays of one phase of a timed run.
type Bounds struct {
	// Network is how long a message is under way, one way.
	Network Delay
	// Scheduling is how long a loop that has work waits until it runs.
	Scheduling Delay
}

// Phase is the part of a run. In the safety phase faults strike and delays are
// wide; in the liveness phase faults are healed and delays are within a
// declared bound, so that everything must be answered.
type Phase uint8

// The phases, in order.
const (
	Safety Phase = iota
	Liveness
)
