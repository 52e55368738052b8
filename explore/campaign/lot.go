package campaign

import (
	"context"
	"time"

	"github.com/watchbed/watchbed/explore"
)

// Lot is a part of a campaign that is run by itself, perhaps on another machine. It has a form in JSON that the same
// build reads: coverage points and metrics are numbers in it.
type Lot struct {
	// First is its first batch, of BatchSize seeds, and Batches is how many it has.
	First, Batches uint64
	// Hashes are those of the batches: that of the campaign is one over all of them.
	Hashes []explore.Hash
	Result Result
}

// Lots is how many lots of so many batches a campaign of so many seeds is cut into.
func Lots(seeds, batches uint64) uint64 { return (batchesOf(seeds) + batches - 1) / batches }

// NewLot is the lot of this number among them, from 0 on. It is empty until it has run.
func NewLot(seeds, batches, number uint64) *Lot {
	first := number * batches
	return &Lot{First: first, Batches: min(batches, batchesOf(seeds)-first)}
}

// Run runs the lot of the campaign with this configuration, as Run does. beat, if not nil, is called after each batch.
func (l *Lot) Run(ctx context.Context, newSubject func() explore.Subject, cfg Config, beat func()) error {
	cfg, err := cfg.complete()
	if err != nil {
		return err
	}
	c := begin(&cfg)
	c.first, c.batches = l.First, l.First+l.Batches
	l.Hashes = nil
	c.added = func(b *batch) {
		l.Hashes = append(l.Hashes, b.Hash)
		if beat != nil {
			beat()
		}
	}
	err = c.runSeeds(ctx, newSubject)
	l.Result = *c.result
	return err
}

// Merger adds up what lots of a campaign came to, in any order and each any number of times. Lots behind a gap wait, so
// that the result is always that of the campaign over its first seeds.
type Merger struct {
	*campaign
	next    uint64
	waiting map[uint64]*Lot
}

// NewMerger is one of a campaign of which nothing is known yet. Of the configuration, Failed is called as by Run.
func NewMerger(cfg Config) (*Merger, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	return &Merger{campaign: begin(&cfg), waiting: map[uint64]*Lot{}}, nil
}

// Add adds a lot.
func (m *Merger) Add(l *Lot) {
	if l.First >= m.next {
		m.waiting[l.First] = l
	}
	for l := m.waiting[m.next]; l != nil; l = m.waiting[m.next] {
		delete(m.waiting, m.next)
		m.next += l.Batches
		m.addNew(&l.Result, l.Hashes...)
		m.result.CPU += l.Result.CPU
	}
}

// Result is what there is of the campaign so far. It is interrupted if that is less than its seeds.
func (m *Merger) Result() *Result {
	m.result.Elapsed = time.Since(m.start)
	m.result.Interrupted = m.result.Schedules < m.cfg.Seeds
	return m.result
}
