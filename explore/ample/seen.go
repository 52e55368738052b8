package ample

import (
	"maps"

	"github.com/watchbed/watchbed/sim"
)

// Seen is what a worker has seen in some states that was not known, and on what it has relied there.
type Seen struct {
	new   []met
	known map[met]bool
	reliance
}

// met is a step that a thread was seen to take.
type met struct {
	thread sim.Cell
	did    step
}

// reliance is what was taken for granted.
type reliance struct {
	// relied are, by step, the threads that were taken never to do anything that conflicts with it, and reliedAwake,
	// by what a thread lacks, those that were taken never to give it that.
	relied      map[step]set
	reliedAwake map[lack]set
	// lives are in which circumstances it was taken that no other threads come to life.
	lives map[life]bool
}

func newReliance() reliance {
	return reliance{relied: map[step]set{}, reliedAwake: map[lack]set{}, lives: map[life]bool{}}
}

// NewSeen has seen nothing.
func NewSeen() *Seen { return &Seen{known: map[met]bool{}, reliance: newReliance()} }

// Add adds what was seen in other states.
func (s *Seen) Add(other *Seen) {
	for _, x := range other.new {
		s.note(x)
	}
	s.addReliance(&other.reliance)
}

func (s *Seen) note(x met) {
	if !s.known[x] {
		s.known[x] = true
		s.new = append(s.new, x)
	}
}

func (r *reliance) addReliance(other *reliance) {
	for x, others := range other.relied {
		addTo(r.relied, x, &others)
	}
	for x, others := range other.reliedAwake {
		addTo(r.reliedAwake, x, &others)
	}
	maps.Copy(r.lives, other.lives)
}

func addTo[K comparable](sets map[K]set, k K, threads *set) {
	s := sets[k]
	s.addAll(threads)
	sets[k] = s
}
