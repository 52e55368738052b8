package read

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// NotifyDetection is the value of the option notify-detection.
type NotifyDetection uint8

// NotifyDetector says whether the cache may rely on an etcd that has sent no
// progress notification for some time.
type NotifyDetector interface {
	Reset(*Limits)
	// Heard is called for each progress notification.
	Heard(env *sim.Env)
	// Overdue: etcd seems to send none, so a consistent read goes to etcd.
	Overdue(env *sim.Env) bool
	Clone() NotifyDetector
	Cells(visit sim.CellVisitor)
}

// NotifyDetectors is the seam of what the cache does without progress
// notifications.
var NotifyDetectors = option.NewSeam[NotifyDetection, func() NotifyDetector]("notify-detection",
	"what the cache does when etcd has sent no progress notification for 1 s").
	Shipped("off", "it goes on as before", func() NotifyDetector { return trusting{} })

// DynamicFallback is the value of the option dynamic-fallback.
type DynamicFallback uint8

// Fallback says what becomes of consistent reads after one waited long.
type Fallback interface {
	Reset(*Limits)
	// ServedAtOnce, ServedAfterWait and TimedOut are called with the outcome of a
	// consistent read.
	ServedAtOnce(env *sim.Env)
	ServedAfterWait(env *sim.Env, r *Read)
	TimedOut(env *sim.Env)
	// Avoids: the next one goes to etcd.
	Avoids(env *sim.Env, d *Delegator) bool
	Clone() Fallback
	Cells(visit sim.CellVisitor)
}

// Fallbacks is the seam of what becomes of consistent reads after one waited long.
var Fallbacks = option.NewSeam[DynamicFallback, func() Fallback]("dynamic-fallback",
	"what becomes of consistent reads after one waited 1 s or longer").
	Shipped("off", "they wait for the cache", func() Fallback { return patient{} })

// trusting relies on the cache whatever it hears.
type trusting struct{}

// Reset implements NotifyDetector.
func (trusting) Reset(*Limits) {}

// Heard implements NotifyDetector.
func (trusting) Heard(*sim.Env) {}

// Overdue implements NotifyDetector.
func (trusting) Overdue(*sim.Env) bool { return false }

// Clone implements NotifyDetector.
func (trusting) Clone() NotifyDetector { return trusting{} }

// Cells implements NotifyDetector.
func (trusting) Cells(sim.CellVisitor) {}

// patient makes each consistent read wait for the cache.
type patient struct{}

// Reset implements Fallback.
func (patient) Reset(*Limits) {}

// ServedAtOnce implements Fallback.
func (patient) ServedAtOnce(*sim.Env) {}

// ServedAfterWait implements Fallback.
func (patient) ServedAfterWait(*sim.Env, *Read) {}

// TimedOut implements Fallback.
func (patient) TimedOut(*sim.Env) {}

// Avoids implements Fallback.
func (patient) Avoids(*sim.Env, *Delegator) bool { return false }

// Clone implements Fallback.
func (patient) Clone() Fallback { return patient{} }

// Cells implements Fallback.
func (patient) Cells(sim.CellVisitor) {}
