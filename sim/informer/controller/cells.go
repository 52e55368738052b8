package controller

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// The cells of a controller. All have index 0.
var (
	cellQueue   = sim.NewCell("controller: work queue")
	cellWorker  = sim.NewCell("controller: worker")
	cellRecords = sim.NewCell("controller: recorded writes")
)

// Clone is a copy that shares nothing that changes.
func (c *Controller) Clone() *Controller {
	d := *c
	d.queue, d.failed = slices.Clone(c.queue), slices.Clone(c.failed)
	d.records, d.history.writes = slices.Clone(c.records), slices.Clone(c.history.writes)
	return &d
}

// Cells visits the parts of the state, as sim.Celled. What is kept for judges belongs to the worker.
func (c *Controller) Cells(visit func(k sim.CellKind, index int, contents sim.Digest)) {
	queue := sim.NewDigest.Int(int64(len(c.queue)))
	for _, key := range append(slices.Clone(c.queue), c.failed...) {
		queue = queue.Text(key)
	}
	worker := sim.NewDigest.Bool(c.running).Text(c.key).Bool(c.call != sim.NoConn).Int(int64(c.marks))
	if c.key != "" {
		worker = c.read.Digest(worker)
	}
	visit(cellQueue, 0, queue)
	visit(cellWorker, 0, records(worker, c.history.writes))
	visit(cellRecords, 0, records(sim.NewDigest, c.records))
}

func records(d sim.Digest, all []record) sim.Digest {
	for _, r := range all {
		d = d.Text(r.key).Int(r.version)
	}
	return d
}
