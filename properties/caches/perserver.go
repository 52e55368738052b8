package caches

import "github.com/watchbed/watchbed/testbed"

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
