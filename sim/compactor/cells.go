package compactor

import "github.com/watchbed/watchbed/sim"

// The cells of a compactor. All have index 0.
var (
	// cellRevision is up to which revision the compactor knows etcd to be compacted.
	cellRevision = sim.NewCell("compactor: compact revision")
	// cellAsking are the caches that wait for a greater one, by their connection.
	cellAsking = sim.NewCell("compactor: waiting caches")
	// cellLoop is where runCompactLoop is.
	cellLoop = sim.NewCell("compactor: runCompactLoop")
	// cellCompactTime is the version of the key that the server saw last, cellRev
	// etcd's revision at that time, cellPrevious the revision of the present try.
	cellCompactTime = sim.NewCell("compactor: compactTime")
	cellRev         = sim.NewCell("compactor: rev")
	cellPrevious    = sim.NewCell("compactor: revision of the present try")
	// cellWatchLoop is where runWatchLoop is.
	cellWatchLoop = sim.NewCell("compactor: runWatchLoop")
)

// Cells implements sim.Celled.
func (c *Compactor) Cells(visit func(k sim.CellKind, index int, contents sim.Digest)) {
	asking := sim.NewDigest
	for _, q := range c.asking {
		asking = asking.Int(q.above)
	}
	visit(cellRevision, 0, sim.NewDigest.Int(c.compactRevision))
	visit(cellAsking, 0, asking)
	visit(cellLoop, 0, sim.NewDigest.Word(uint64(c.loop.state)).Int(int64(c.loop.turns)))
	visit(cellCompactTime, 0, sim.NewDigest.Int(c.loop.compactTime))
	visit(cellRev, 0, sim.NewDigest.Int(c.loop.rev))
	visit(cellPrevious, 0, sim.NewDigest.Int(c.loop.previous))
	visit(cellWatchLoop, 0, sim.NewDigest.Word(uint64(c.watch.state)).Int(int64(c.watch.turns)))
}

// Fingerprint implements sim.Fingerprinter.
func (c *Compactor) Fingerprint(d sim.Digest) sim.Digest { return sim.FoldCells(d, c) }
