package guard

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/release"
	"github.com/watchbed/watchbed/sim/wire"
)

// VersionCheck chooses a Check.
type VersionCheck uint8

// Check finds out what etcd it is. One belongs to one process of an API server.
type Check interface {
	// Reset makes the check that of a new process, and keeps its memory.
	Reset()
	// Passes reports whether an endpoint of this version is new enough.
	Passes(v release.Version) bool
	// Start begins with the process.
	Start(env *sim.Env, cfg *Config) Outcome
	// Receive takes a message. It reports false if that answers no question of
	// the check.
	Receive(env *sim.Env, cfg *Config, m *sim.Message) (o Outcome, mine bool)
	// Fire runs when the timer of an endpoint goes off.
	Fire(env *sim.Env, cfg *Config, endpoint int) Outcome
	// Clone returns a copy that goes its own way.
	Clone() Check
	// Conns visits the connections that the implementation holds, and Cells the cells that it has of its own.
	Conns(visit func(sim.Conn))
	Cells(visit sim.CellVisitor)
}

// Outcome is what follows from a check so far.
type Outcome struct {
	// Trusts: reads may rely on progress notifications.
	Trusts bool
	// Asking: an endpoint has not answered yet.
	Asking bool
	// Deaf: progress of the watch is dropped, since nothing is known of the member that
	// it comes from.
	Deaf bool
	// Refusal is the answer to every request while the server does not serve; nil
	// if it does.
	Refusal *wire.Error
}

// Checks are the ways to check etcd's version.
var Checks = option.NewSeam[VersionCheck, func() Check]("version-check",
	"what an API server does about an etcd whose progress notifications cannot be trusted").
	Shipped("none",
		"it trusts every etcd",
		func() Check { return trusting{} })

// VersionCheckNone is the default.
const VersionCheckNone VersionCheck = 0

// The other values of the option version-check.
var (
	VersionCheckKEPBeta = Checks.Register("kep-beta",
		"it asks all endpoints before it starts; an old one turns ConsistentListFromCache off with a warning, or prevents the start if the gate was enabled explicitly (KEP-2340, Beta)",
		func() Check { return &beforeStart{} })
	VersionCheckKEPGA = Checks.Register("kep-ga",
		"it asks all endpoints before it starts; an old one prevents the start (KEP-2340, GA)",
		func() Check { return &beforeStart{locked: true} })
	VersionCheckShipped = Checks.Register("shipped",
		"it asks while it starts, asks again until each endpoint has answered, and trusts no etcd before the first answer (FeatureSupportChecker)",
		func() Check { return &featureSupportChecker{} })
	VersionCheckPeriodic = Checks.Register("periodic",
		"as shipped, and it asks each endpoint again a minute after its answer (KEP-2340, draft of 2019, rejected alternative)",
		func() Check { return &periodic{} })
	VersionCheckEachStream = Checks.Register("each-stream",
		"it asks the member behind each stream on which its watch is created, and drops the progress of the stream until it knows (KEP-2340, draft of 2019, rejected alternative)",
		func() Check { return &eachStream{} })
)

// trusting asks no endpoint.
type trusting struct{}

func (trusting) Reset() {}

func (trusting) Passes(release.Version) bool { return true }

func (trusting) Start(_ *sim.Env, cfg *Config) Outcome {
	return Outcome{Trusts: cfg.ConsistentListFromCache != GateDisabled}
}

func (trusting) Receive(*sim.Env, *Config, *sim.Message) (Outcome, bool) { return Outcome{}, false }
func (trusting) Fire(*sim.Env, *Config, int) Outcome                     { return Outcome{} }
func (t trusting) Clone() Check                                          { return t }
func (trusting) Conns(func(sim.Conn))                                    {}
func (trusting) Cells(sim.CellVisitor)                                   {}
