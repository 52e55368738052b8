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
	// missing are the lots that have no result yet. Those below next are queued, and outstanding of these have none.
	missing           map[uint64]bool
	next, outstanding uint64
	results           <-chan *result
	unfollow          func()
}

// window is how many lots of a job are in the queue at most.
const window = 100_000

// campaign has a campaign carried out by the fleet, and returns what it came to: as campaign.Run does. If the context
// ends before, the fleet goes on.
func (c *client) campaign(ctx context.Context, sc *testbed.Scenario, p *testbed.Params, cfg campaign.Config, command []string, complain func(string, ...any)) (*campaign.Result, error) {
	w := &waiting{client: c, complain: complain, missing: map[uint64]bool{}, unfollow: func() {}}
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
	for n := range w.lots() {
		w.missing[n] = true
	}
	defer func() { w.unfollow() }()
	if err := w.resume(ctx); err != nil {
		return nil, err
	}
	tick := time.NewTicker(time.Second / 4)
	defer tick.Stop()
	heard := time.Now()
	for len(w.missing) > 0 {
		select {
		case r := <-w.results:
			heard = time.Now()
			if err := w.take(r); err != nil {
				return w.merger.Result(), err
			}
			if w.outstanding < window/2 {
				if err := w.send(ctx); err != nil {
					return w.merger.Result(), err
				}
			}
		case <-tick.C:
			if cfg.Progress != nil {
				cfg.Progress(w.merger.Result())
			}
			if time.Since(heard) < lotWait {
				continue
			}
			heard = time.Now()
			if now, err := c.job(ctx, w.id); err == nil && now.Stopped {
				complain("job %s is stopped: %s", w.id, w.progress())
				return w.merger.Result(), nil
			}
			if err := w.resume(ctx); err != nil {
				return w.merger.Result(), err
			}
		case <-ctx.Done():
			complain("job %s goes on: %s. The same command waits for it again; `simrun fleet stop %s` ends it", w.id, w.progress(), w.id)
			return w.merger.Result(), nil
		}
	}
	return w.merger.Result(), nil
}

func (w *waiting) progress() string {
	return fmt.Sprintf("%d of %d lots have a result", w.lots()-uint64(len(w.missing)), w.lots())
}

// take adds a result.
func (w *waiting) take(r *result) error {
	if r.Failed != "" {
		return errors.New(r.Failed)
	}
	if w.missing[r.Number] && r.Number < w.next {
		w.outstanding--
	}
	delete(w.missing, r.Number)
	w.merger.Add(&r.Lot)
	return nil
}

// resume reads the results that are there, and then queues lots that have none: what the server had may be lost, with the
// numbers of its messages.
func (w *waiting) resume(ctx context.Context) (err error) {
	w.unfollow()
	w.next, w.outstanding = 0, 0
	there := uint64(0)
	if err := keep(ctx, "the results of job "+w.id, w.complain, func(ctx context.Context) (err error) {
		if there, err = w.done(ctx, w.id); err == nil {
			err = w.follow(ctx)
		}
		return err
	}); err != nil {
		return nil // the context has ended
	}
	for range there {
		select {
		case r := <-w.results:
			if err := w.take(r); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		case <-time.After(lotWait):
			// They are lost meanwhile.
			return w.send(ctx)
		}
	}
	return w.send(ctx)
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
func (w *waiting) follow(ctx context.Context) error {
	consumer, err := w.client.results.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{FilterSubjects: []string{resultsOf(w.id)}})
	if err != nil {
		return err
	}
	results, done := make(chan *result), make(chan struct{})
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
		return err
	}
	w.results = results
	w.unfollow = func() {
		close(done)
		consume.Stop()
		w.unfollow = func() {}
	}
	return nil
}

// send queues lots that have no result, up to the window. The server refuses one that is in the queue already.
func (w *waiting) send(ctx context.Context) error {
	for w.next < w.lots() && w.outstanding < window {
		next, outstanding := w.next, w.outstanding
		if err := keep(ctx, "the lots of job "+w.id, w.complain, func(ctx context.Context) error {
			w.next, w.outstanding = next, outstanding
			return w.sendSome(ctx)
		}); err != nil {
			return nil // the context has ended
		}
	}
	return nil
}

// sendSome queues a few lots, and waits until the server has them.
func (w *waiting) sendSome(ctx context.Context) error {
	const some = 1000
	var sent []jetstream.PubAckFuture
	for ; w.next < w.lots() && len(sent) < some; w.next++ {
		if !w.missing[w.next] {
			continue
		}
		f, err := w.js.PublishAsync(strings.Join([]string{lotsSubject + w.Build, w.id, strconv.FormatUint(w.next, 10)}, "."), nil)
		if err != nil {
			return err
		}
		sent = append(sent, f)
	}
	w.outstanding += uint64(len(sent))
	for _, f := range sent {
		select {
		case <-f.Ok():
		case err := <-f.Err():
			if !present(err) {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// stop ends a job: lots that run go on, and none is begun.
func (c *client) stop(ctx context.Context, id string) error {
	j, err := c.job(ctx, id)
	if err != nil {
		return err
	}
	j.Stopped = true
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	if _, err := c.jobs.Put(ctx, id, text); err != nil {
		return err
	}
	return c.queue.Purge(ctx, jetstream.WithPurgeSubject(lotsSubject+j.Build+"."+id+".>"))
}
