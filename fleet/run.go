package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// waiting is a campaign that a command waits for.
type waiting struct {
	*client
	*job
	id       string
	complain func(string, ...any)
	merger   *campaign.Merger
	// missing are the lots that have no result yet.
	missing map[uint64]bool
}

// campaign has a campaign carried out by the fleet, and returns what it came to: as campaign.Run does. If the context
// ends before, the fleet goes on.
func (c *client) campaign(ctx context.Context, sc *testbed.Scenario, p *testbed.Params, cfg campaign.Config, command []string, complain func(string, ...any)) (*campaign.Result, error) {
	w := &waiting{client: c, complain: complain, missing: map[uint64]bool{}}
	asked := &job{Build: c.build, Scenario: sc.Name, Parameters: p.Expand(), Strategy: cfg.Strategy.Name, FirstSeed: cfg.FirstSeed, Seeds: cfg.Seeds, Command: command}
	if asked.Parameters == nil {
		asked.Parameters = []option.Setting{}
	}
	w.id = asked.id()
	var err error
	if w.job, err = c.enter(ctx, w.id, asked); err != nil {
		return nil, err
	}
	if w.merger, err = campaign.NewMerger(cfg); err != nil {
		return nil, err
	}
	for _, l := range w.cut() {
		w.missing[l.First] = true
	}
	all := len(w.missing)
	results, stop, err := w.follow(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { stop() }()
	if err := w.queue(ctx); err != nil {
		return nil, err
	}
	tick := time.NewTicker(time.Second / 4)
	defer tick.Stop()
	heard := time.Now()
	for len(w.missing) > 0 {
		select {
		case r := <-results:
			heard = time.Now()
			if r.Failed != "" {
				return w.merger.Result(), errors.New(r.Failed)
			}
			delete(w.missing, r.First)
			w.merger.Add(&r.Lot)
		case <-tick.C:
			if cfg.Progress != nil {
				cfg.Progress(w.merger.Result())
			}
			if time.Since(heard) < lotWait {
				continue
			}
			heard = time.Now()
			if now, err := c.job(ctx, w.id); err == nil && now.Stopped {
				complain("job %s is stopped: %d of %d lots have a result", w.id, all-len(w.missing), all)
				return w.merger.Result(), nil
			}
			// What the server had may be lost, with the numbers of its messages.
			stop()
			if results, stop, err = w.follow(ctx); err == nil {
				err = w.queue(ctx)
			}
			if err != nil {
				return w.merger.Result(), err
			}
		case <-ctx.Done():
			complain("job %s goes on: %d of %d lots have a result. The same command waits for it again; `simrun fleet stop %[1]s` ends it", w.id, all-len(w.missing), all)
			return w.merger.Result(), nil
		}
	}
	return w.merger.Result(), nil
}

// enter writes a job down, or reads the one that is there.
func (c *client) enter(ctx context.Context, id string, asked *job) (*job, error) {
	j, err := c.job(ctx, id)
	switch {
	case err == nil && !j.Stopped:
		return j, nil
	case err == nil:
		// It is asked for again.
		asked.Batches = j.Batches
	case !errors.Is(err, jetstream.ErrKeyNotFound):
		return nil, err
	default:
		subjects, cfg, err := asked.campaign()
		if err != nil {
			return nil, err
		}
		if asked.Batches, err = lotOf(ctx, subjects, cfg); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	if j == nil {
		_, err = c.jobs.Create(ctx, id, text)
	} else {
		_, err = c.jobs.Put(ctx, id, text)
	}
	if errors.Is(err, jetstream.ErrKeyExists) {
		return c.job(ctx, id)
	}
	return asked, err
}

// follow passes on the results of the job: those that are there, and each that comes.
func (w *waiting) follow(ctx context.Context) (<-chan *result, func(), error) {
	consumer, err := w.results.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{FilterSubjects: []string{resultsSubject + w.id + ".*"}})
	if err != nil {
		return nil, func() {}, err
	}
	results := make(chan *result)
	done := make(chan struct{})
	consume, err := consumer.Consume(func(msg jetstream.Msg) {
		r, err := unpack(msg.Data())
		if err != nil {
			w.complain("%s cannot be read (%v); it is left out", msg.Subject(), err)
			return
		}
		select {
		case results <- r:
		case <-done:
		}
	})
	if err != nil {
		return nil, func() {}, err
	}
	return results, func() {
		close(done)
		consume.Stop()
	}, nil
}

// queued is how many lots are sent before the first of them is confirmed.
const queued = 1000

// queue sends each lot that has no result. The server refuses one that is in the queue already.
func (w *waiting) queue(ctx context.Context) error {
	var there *jetstream.StreamInfo
	if err := keep(ctx, "the results of job "+w.id, w.complain, func(ctx context.Context) (err error) {
		there, err = w.results.Info(ctx, jetstream.WithSubjectFilter(resultsSubject+w.id+".*"))
		return err
	}); err != nil {
		return err
	}
	var futures []jetstream.PubAckFuture
	flush := func() error {
		for _, f := range futures {
			select {
			case <-f.Ok():
			case err := <-f.Err():
				if !present(err) {
					return err
				}
			case <-ctx.Done():
				return nil
			}
		}
		futures = futures[:0]
		return nil
	}
	return keep(ctx, "the lots of job "+w.id, w.complain, func(context.Context) error {
		futures = futures[:0]
		for _, l := range w.cut() {
			first := strconv.FormatUint(l.First, 10)
			if _, done := there.State.Subjects[resultsSubject+w.id+"."+first]; done || !w.missing[l.First] {
				continue
			}
			f, err := w.js.PublishAsync(strings.Join([]string{lotsSubject + w.Build, w.id, first}, "."), nil)
			if err != nil {
				return err
			}
			if futures = append(futures, f); len(futures) == queued {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		return flush()
	})
}

// stop ends a job: lots that run go on, and none is begun.
func (c *client) stop(ctx context.Context, id string) error {
	j, err := c.job(ctx, id)
	if err != nil {
		return fmt.Errorf("%w (simrun fleet status has all jobs)", err)
	}
	j.Stopped = true
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	if _, err := c.jobs.Put(ctx, id, text); err != nil {
		return err
	}
	return c.lots.Purge(ctx, jetstream.WithPurgeSubject(lotsSubject+j.Build+"."+id+".>"))
}
