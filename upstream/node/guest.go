package node

import "github.com/watchbed/watchbed/upstream/engine"

// Guest is a program that a node runs.
type Guest interface {
	// Run lets it run until it waits, at a time of its clock, as that of engine.Guest does.
	Run(h engine.Host, now int64, message []byte) (until int64, err error)
	// Reset puts it back to where each run begins.
	Reset()
	// Clone returns one in the same state.
	Clone() Guest
}

// Compiled is a guest in WebAssembly.
type Compiled struct{ *engine.Guest }

// Clone implements Guest.
func (c Compiled) Clone() Guest { return Compiled{c.Guest.Clone()} }
