package campaigns

import (
	"cmp"
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// WholeHistory keeps in its states which operations there are, with their answers, and in which
// order they began and ended.
type WholeHistory struct{ *testbed.Searched }

// Monitors implements prove.Subject.
func (s WholeHistory) Monitors(d sim.Digest) sim.Digest {
	return s.Searched.Monitors(History(s.System, d))
}

// History mixes in what the clients of a system have recorded: of operations their order, their
// answers, and the readings of the clock, which stands still when untimed.
func History(s *testbed.System, d sim.Digest) sim.Digest {
	type tick struct {
		at     int64
		client int
		ends   bool
	}
	var ticks []tick
	for i, c := range s.Clients() {
		d = c.Fingerprint(d)
		for _, x := range c.Spans() {
			d = d.Int(int64(x.Call)).Int(int64(x.Return)).Word(uint64(x.Phase))
		}
		for _, op := range c.Operations() {
			ticks = append(ticks, tick{op.Call, i, false}, tick{op.Return, i, true})
		}
	}
	slices.SortFunc(ticks, func(a, b tick) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.client, b.client))
	})
	for _, t := range ticks {
		d = d.Int(int64(t.client)).Bool(t.ends)
	}
	for _, r := range s.Streams() {
		d = r.Fingerprint(d)
	}
	for _, w := range s.Watchers() {
		d = w.Fingerprint(d)
	}
	for _, c := range s.ListWatchers() {
		d = c.Fingerprint(d)
	}
	for _, c := range s.DrawnWatchers() {
		d = c.Fingerprint(d)
	}
	for _, n := range s.Informers() {
		d = n.Fingerprint(d)
		for _, x := range n.Exchanges() {
			d = d.Int(int64(x.To)).Int(int64(x.Process)).Word(uint64(x.End)).Int(int64(x.Events)).Int(x.Version)
		}
	}
	return d
}
