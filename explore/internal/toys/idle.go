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
