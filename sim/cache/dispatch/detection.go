package dispatch

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// WatchListDetection says what a watch with initial events needs to know of etcd's
// progress notifications.
type WatchListDetection uint8

// Detection finds out whether etcd sends progress, without which initial events may
// never end (KEP-3157, "Beta": "automatically detecting etcd configuration").
type Detection interface {
	Reset(*Amounts)
	// Heard is called when progress of etcd has come out of the incoming channel.
	Heard(env *sim.Env)
	// Asked is called when the cache has asked etcd for progress.
	Asked(env *sim.Env)
	// Silent: etcd seems to send none, so a watch with initial events is refused. A
	// client-go that is refused lists instead.
	Silent(env *sim.Env) bool
	Clone() Detection
	Cells(visit sim.CellVisitor)
}

// Detections is the seam of how a cache finds out whether etcd sends progress.
var Detections = option.NewSeam[WatchListDetection, func() Detection]("watch-list-detection",
	"whether a watch with initial events is refused while etcd seems to send no progress (KEP-3157, Beta)").
	Shipped("off", "it is not, and may hang; version-check asks what etcd is", func() Detection { return expecting{} })

// expecting takes etcd to send progress.
type expecting struct{}

// Reset implements Detection.
func (expecting) Reset(*Amounts) {}

// Heard implements Detection.
func (expecting) Heard(*sim.Env) {}

// Asked implements Detection.
func (expecting) Asked(*sim.Env) {}

// Silent implements Detection.
func (expecting) Silent(*sim.Env) bool { return false }

// Clone implements Detection.
func (expecting) Clone() Detection { return expecting{} }

// Cells implements Detection.
func (expecting) Cells(sim.CellVisitor) {}

// ProgressRequested is called when the cache has asked etcd for progress.
func (d *Dispatcher) ProgressRequested(env *sim.Env) { d.detect.Asked(env) }

// Upstream's error of an etcd that cannot be asked for progress has no code either.
var noProgressHeard = &wire.Error{Code: wire.Internal, Message: "sendInitialEvents needs progress notifications, and etcd seems to send none"}
