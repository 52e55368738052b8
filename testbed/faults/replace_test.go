package faults

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/sim"
)

// server is a Replaceable whose state a test sets.
type server struct {
	generation int
	ready      bool
}

func (s *server) Generation(Nodes) int { return s.generation }
func (s *server) Ready(Nodes) bool     { return s.ready }
func (s *server) Reconfigure(Nodes)    { s.generation++ }

// TestServersAreReplacedInOrder: each once before any of them twice, and none while
// another one does not serve.
func TestServersAreReplacedInOrder(t *testing.T) {
	servers := []*server{{ready: true}, {ready: true}, {ready: true}}
	all := make([]Replaceable, len(servers))
	for i, s := range servers {
		all[i] = s
	}
	w := sim.NewWorld(sim.Options{})
	turn := func() (turns []int) {
		for i := range all {
			if (&replace{all: all, which: i}).Ready(w) {
				turns = append(turns, i)
			}
		}
		return turns
	}
	for step := range 7 {
		next := step % len(servers)
		assert.Equal(t, []int{next}, turn(), "step %d", step)
		other := servers[(next+1)%len(servers)]
		other.ready = false
		assert.Empty(t, turn(), "step %d: another server does not serve", step)
		other.ready = true
		servers[next].ready = false
		assert.Equal(t, []int{next}, turn(), "step %d: one that does not serve may be replaced", step)
		servers[next].Reconfigure(w)
		assert.Empty(t, turn(), "step %d: the one that came does not serve yet", step)
		servers[next].ready = true
	}
}
