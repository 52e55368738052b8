package toys

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// Text is the simplest payload.
type Text string

func (t Text) Digest(d sim.Digest) sim.Digest { return d.Text(string(t)) }
func (t Text) Label() string                  { return string(t) }

// Idle is a subject and a node that does nothing. Others embed it and say only
// what they do.
type Idle struct{ sim.Idle }

func (Idle) Options() sim.Options               { return sim.Options{} }
func (Idle) After(*sim.World, sim.Action)       {}
func (Idle) Over(*sim.World) bool               { return false }
func (Idle) Judge(*sim.World) []explore.Finding { return nil }

// Proved is the part of a prove.Subject that says nothing: it has no past and no memory. Others
// embed it, build, adopt and judge, and say what their goal is.
type Proved struct{}

func (Proved) Options() sim.Options                     { return sim.Options{} }
func (Proved) After(*sim.World, sim.Action)             {}
func (Proved) Over(*sim.World) bool                     { return false }
func (Proved) Monitors(d sim.Digest) sim.Digest         { return d }
func (Proved) IsMonitored(sim.NodeID) bool              { return false }
func (Proved) SeesNodes() bool                          { return false }
func (Proved) Endless(sim.NodeID) bool                  { return true }
func (Proved) Remembers() bool                          { return false }
func (Proved) Remembered(*sim.World) any                { return nil }
func (Proved) Recall(any)                               {}
func (Proved) Remember(any, *sim.World, sim.Action) any { return nil }
