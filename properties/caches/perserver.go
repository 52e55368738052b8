package caches

import (
	"slices"

	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// perServer is what follows from the options of each API server, made when it is first
// asked for: servers may have different options.
type perServer[T any] struct {
	make func(*testbed.Server) T
	made []ofServer[T]
}

type ofServer[T any] struct {
	server *testbed.Server
	rules  T
}

func (p *perServer[T]) of(s *testbed.Server) *T {
	for i := range p.made {
		if p.made[i].server == s {
			return &p.made[i].rules
		}
	}
	p.made = append(p.made, ofServer[T]{s, p.make(s)})
	return &p.made[len(p.made)-1].rules
}

// askedOf is the past of what judges a request by itself and by the design of the API server that it was
// sent to. That may be replaced before the answer comes, so that its design is not that of the state.
type askedOf struct {
	system  *testbed.System
	moments *moments.Recorder
}

func askedOfPast(s *testbed.System) testbed.Past { return askedOf{s, moments.Of(s)} }

// Digest implements testbed.Past.
func (p askedOf) Digest(d sim.Digest) sim.Digest {
	for i := range p.system.Clients() {
		d = p.server(d, p.moments.Open(i))
	}
	for i := range len(p.system.Watchers()) + len(p.system.ListWatchers()) + len(p.system.DrawnWatchers()) {
		if all := p.moments.Watches(i); len(all) > 0 {
			d = p.server(d, &all[len(all)-1])
		}
	}
	return d
}

// server mixes in which of the API servers that follow each other a call was sent to.
func (p askedOf) server(d sim.Digest, at *moments.Call) sim.Digest {
	if at == nil || at.Over || at.Cache < 0 {
		return d
	}
	if all := p.system.Caches()[at.Cache].Servers(); len(all) > 1 {
		d = d.Int(int64(slices.Index(all, at.Server)))
	}
	return d
}
