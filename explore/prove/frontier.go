package prove

import (
	"cmp"
	"slices"
)

// keptWorlds is how many worlds of the next layer a worker keeps. A small world takes some
// 10 kB. States beyond that are made again from those before them, when their turn comes.
const keptWorlds = 1 << 11

// frontier has the worlds of states that a worker has found and that are to be expanded. It
// spares the steps to them. Only the worker itself can use its worlds: they have their nodes in
// common with its others.
type frontier struct {
	// layer has places of the layer that is expanded, in the order of their states; those up
	// to at have had their turn. next has those of the layer after it.
	layer, next []place
	at          int
	// offered is how many candidates for the next layer have their world.
	offered int
}

// offer lets a candidate take its world along, if there is room.
func (f *frontier) offer(c *candidate, p *place) {
	if f.offered == keptWorlds {
		return
	}
	f.offered++
	c.at, p.world = *p, nil
}

// keep takes a candidate in that has become a state. Candidates come in the order of their
// states.
func (f *frontier) keep(c *candidate, state uint32) {
	if c.at.world == nil {
		return
	}
	c.at.state = state
	f.next = append(f.next, c.at)
}

// decline gives up the world of a candidate that is a known state after all.
func (f *frontier) decline(w *worker, c *candidate) {
	if c.at.world == nil {
		return
	}
	w.drop(&c.at)
	f.offered--
}

// visit returns the place of a state, nil if it is not kept. It is valid until the next
// visit. States are visited in their order.
func (f *frontier) visit(w *worker, state uint32) *place {
	for f.at < len(f.layer) && f.layer[f.at].state < state {
		w.drop(&f.layer[f.at])
		f.at++
	}
	if f.at == len(f.layer) || f.layer[f.at].state != state {
		return nil
	}
	return &f.layer[f.at]
}

// advance goes on to the next layer.
func (f *frontier) advance(w *worker) {
	for ; f.at < len(f.layer); f.at++ {
		w.drop(&f.layer[f.at])
	}
	f.layer, f.next, f.at, f.offered = f.next, f.layer[:0], 0, 0
}

// has reports whether the world of a state of this layer is kept.
func (f *frontier) has(state uint32) bool {
	_, found := slices.BinarySearchFunc(f.layer[f.at:], state, func(p place, s uint32) int { return cmp.Compare(p.state, s) })
	return found
}
