package plans

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/workload"
)

// source answers what is drawn: the run, or a seed.
type source interface {
	Choose(n int, what string) int
}

// kind tells apart clients that draw, so that each draws its own from a seed.
type kind uint64

const (
	ofReaders kind = iota
	ofClients
	ofWatchers
	ofStreams
)

// sourceOf is the source of the i-th client of a kind.
func sourceOf(d *workload.DrawnOptions, run *sim.Env, k kind, i int) source {
	if d.Seed == 0 {
		return run
	}
	return &seeded{uint64(d.Seed)<<32 | uint64(k)<<16 | uint64(i)}
}

// seeded draws the same in each run: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
type seeded struct{ state uint64 }

// Choose implements source.
func (s *seeded) Choose(n int, _ string) int {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}
