package campaign

import (
	"context"

	"github.com/watchbed/watchbed/explore"
)

// Series is many small campaigns, each with a subject of its own. Campaign i has Each
// seeds, from FirstSeed + i*Each on.
type Series struct {
	// Campaigns is how many there are, Each how many seeds each of them has.
	Campaigns, Each uint64
	// Subject makes what campaign i is about, as newSubject of Run. It may be called
	// from several goroutines.
	Subject func(i uint64) (newSubject func() explore.Subject, steps int, err error)
	// Ended, if not nil, is called with what each campaign came to, one after the other in
	// their order. It must not keep the result.
	Ended func(i uint64, r *Result)
}

// Run runs all campaigns, as many at a time as the configuration has workers, and adds
// them up in their order. Of the configuration Seeds, Steps, StopAfter, Failed and Found mean nothing.
// The result is that of one campaign over all seeds: a function of the subjects, the
// strategy and the seeds.
//
// Its errors are those of Run for one campaign, and those of Subject.
func (s *Series) Run(ctx context.Context, cfg Config) (*Result, error) {
	cfg.Seeds, cfg.StopAfter, cfg.Failed, cfg.Found = s.Campaigns, 0, nil, nil
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	cfg.Seeds = s.Campaigns * s.Each
	c := begin(&cfg)
	defer c.clock()
	c.batches, c.added = s.Campaigns, s.ended
	err = c.run(ctx, func() func(uint64) *batch {
		return func(i uint64) *batch { return s.campaign(ctx, &cfg, i) }
	})
	return c.result, err
}

// ended is called with the campaigns in their order.
func (s *Series) ended(b *batch) {
	if s.Ended != nil {
		s.Ended(b.number, &b.Result)
	}
}

// campaign runs campaign i alone, with one worker. One that was interrupted is the last that is added.
func (s *Series) campaign(ctx context.Context, cfg *Config, i uint64) *batch {
	newSubject, steps, err := s.Subject(i)
	if err != nil {
		return &batch{err: err}
	}
	result, err := Run(ctx, newSubject, Config{
		Strategy: cfg.Strategy, FirstSeed: cfg.FirstSeed + i*s.Each, Seeds: s.Each, Workers: 1, Steps: steps,
		RecheckShare: cfg.RecheckShare,
	})
	b := &batch{err: err}
	if result != nil {
		b.Result, b.cut = *result, result.Interrupted
	}
	return b
}
