package node

import (
	"fmt"
	"hash/fnv"

	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// selfTest has a guest start twice in different machines, with the same choices, and compares all that came
// out and what is left in memory. It is for each start of a new guest: one that is
// not deterministic cannot be replayed. begin is the message with which a run begins.
func selfTest(m *engine.Module, begin func(seed int64) []byte) error {
	var hashes [2]uint64
	for i := range hashes {
		g, err := m.NewGuest()
		if err != nil {
			return err
		}
		if i == 1 {
			// Another guest has run in the machine in between.
			other, err := m.NewGuest()
			if err != nil {
				return err
			}
			if _, err := try(other, begin(2), 2); err != nil {
				return err
			}
		}
		if hashes[i], err = try(g, begin(1), 1); err != nil {
			return err
		}
	}
	if hashes[0] != hashes[1] {
		return fmt.Errorf("the guest is not deterministic: the same choices gave %x, then %x", hashes[0], hashes[1])
	}
	return nil
}

// Beginning is how a run of an API server's storage begins, whose etcd does not answer.
func Beginning(seed int64) []byte {
	var w protocol.Writer
	w.Begin(protocol.Start, 0).Int(seed).Text("/registry/pods/").Text("").Text("").Text("").Bool(false).Bool(false).Int(1)
	return w.Int(0).Int(0).Int(0).Int(0).Int(0).Bytes
}

// try is a digest of a short run of a guest that is told nothing more.
func try(g *engine.Guest, begin []byte, seed int64) (uint64, error) {
	t := &trial{next: uint64(seed)}
	now, message := int64(0), begin
	for range selfTestSteps {
		until, err := g.Run(t, now, message)
		if err != nil {
			return 0, err
		}
		t.took(uint64(until))
		now, message = max(now, until), nil
	}
	t.took(g.Hash())
	return t.hash, nil
}

const selfTestSteps = 20

// trial is a host that draws from a generator of its own.
type trial struct{ next, hash uint64 }

func (t *trial) took(n uint64) { t.hash = t.hash*1099511628211 ^ n }

func (t *trial) draw(n int) int {
	t.next = t.next*6364136223846793005 + 1442695040888963407
	picked := int(t.next >> 33 % uint64(n))
	t.took(uint64(picked))
	return picked
}

func (t *trial) Pick(runnable []engine.Goroutine, _ bool) int { return t.draw(len(runnable)) }

func (t *trial) Select(_ engine.Goroutine, n int) int { return t.draw(n) }

func (t *trial) Lock(engine.Goroutine) bool { return t.draw(2) == 1 }

func (t *trial) CanSend(uint32) bool { return true }

func (t *trial) Send(message []byte) {
	h := fnv.New64a()
	h.Write(message)
	t.took(h.Sum64())
}
