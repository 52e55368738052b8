package fleet

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
)

const (
	// beat is how often a worker says that it is there, and that its lot goes on.
	beat = 5 * time.Second
	// giveUp is how many workers a lot may end before it is given up: one that is killed with it may have had bad luck.
	giveUp = 20
)

// presence is what a worker says of itself.
type presence struct {
	Build, Job string
	// Lot is the number of its lot. Lots and Schedules are how many it has ended.
	Lot, Lots, Schedules uint64
	Since                time.Time
}

// worker carries out lots, one after another.
type worker struct {
	*client
	name string
	hang time.Duration
	// idle is how long it waits for a lot before it ends; 0 is for ever.
	idle     time.Duration
	complain func(string, ...any)
	presence presence
	// jobs are those that it has met.
	jobs map[string]*ready
	// beaten is the processor time at the last batch that ended.
	beaten atomic.Int64
}

// ready is a job whose scenario is found.
type ready struct {
	job
	read     time.Time
	subjects func() explore.Subject
	cfg      campaign.Config
}

// work carries out lots of this build until the context ends. A lot that takes the processor for as long as hang and ends
// no batch is given up, and work returns an error: nothing can stop it but the end of the process.
func (w *worker) work(ctx context.Context) error {
	lots, err := w.queue.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: "build-" + w.build, FilterSubject: lotsSubject + w.build + ".>",
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: lotWait, MaxAckPending: -1,
	})
	if err != nil {
		return err
	}
	// One more is fetched while one runs: the way to the server takes no time from the work.
	next, err := lots.Messages(jetstream.PullMaxMessages(1))
	if err != nil {
		return err
	}
	defer next.Stop()
	context.AfterFunc(ctx, next.Stop)
	w.presence = presence{Build: w.build, Since: time.Now()}
	busy := time.Now()
	for ctx.Err() == nil && (w.idle == 0 || time.Since(busy) < w.idle) {
		w.say()
		msg, err := next.Next(jetstream.NextMaxWait(beat))
		switch {
		case errors.Is(err, jetstream.ErrMsgIteratorClosed):
			return nil
		case err != nil:
			// None is there, or the server is away: the client goes on asking.
			continue
		}
		if err := w.take(ctx, msg); err != nil {
			return err
		}
		busy = time.Now()
	}
	return nil
}

// say writes down that this worker is there. It is worth neither waiting for nor trying again.
func (w *worker) say() {
	if text, err := json.Marshal(w.presence); err == nil {
		_ = w.conn.Publish("$KV."+workersBucket+"."+w.name, text)
	}
}

// take carries out the lot of a message, and stores what came of it before the message is gone.
func (w *worker) take(ctx context.Context, msg jetstream.Msg) error {
	parts := strings.Split(strings.TrimPrefix(msg.Subject(), lotsSubject), ".")
	number, err := strconv.ParseUint(parts[len(parts)-1], 10, 64)
	if err != nil || len(parts) != 3 {
		w.complain("%s is not a lot of this program; it is left out", msg.Subject())
		return msg.Term()
	}
	id := parts[1]
	j, err := w.ready(ctx, id)
	if err != nil {
		if ctx.Err() == nil {
			w.complain("%v; its lot comes again later", err)
		}
		return msg.NakWithDelay(beat)
	}
	if j.Stopped {
		return msg.Term()
	}
	if number >= j.lots() {
		return msg.Term()
	}
	out := &result{Number: number, Lot: *campaign.NewLot(j.Seeds, j.Batches, number)}
	w.presence.Job, w.presence.Lot = id, number
	w.say()
	subject := resultsSubject + id + "." + strconv.FormatUint(number, 10)
	if meta, err := msg.Metadata(); err == nil && meta.NumDelivered > giveUp {
		out.Failed = fmt.Sprintf("%d workers ended while they ran it", giveUp)
	} else {
		ended := w.watch(ctx, j, out, subject, msg)
		err := out.Run(ctx, j.subjects, j.cfg, func() { w.beaten.Store(int64(campaign.CPUTime())) })
		ended()
		switch {
		case err != nil:
			out.Failed = err.Error()
		case ctx.Err() != nil:
			return msg.Nak()
		}
	}
	if err := w.store(ctx, subject, out, msg); err != nil {
		return err
	}
	w.presence.Lots++
	w.presence.Schedules += out.Result.Schedules
	return nil
}

// store keeps what came of a lot, and takes the lot out of the queue.
func (w *worker) store(ctx context.Context, subject string, out *result, msg jetstream.Msg) error {
	text, err := pack(out)
	if err != nil {
		return err
	}
	if err := keep(ctx, "the result of a lot", w.complain, func(ctx context.Context) error {
		_, err := w.js.Publish(ctx, subject, text)
		return err
	}); err != nil {
		return err
	}
	// If this is lost the lot runs again, and comes to the same.
	_ = msg.Ack()
	return nil
}

// watch says of a lot that it goes on for as long as its batches end.
func (w *worker) watch(ctx context.Context, j *ready, out *result, subject string, msg jetstream.Msg) (ended func()) {
	w.beaten.Store(int64(campaign.CPUTime()))
	stop := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(beat)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			if idle := campaign.CPUTime() - time.Duration(w.beaten.Load()); w.hang > 0 && idle > w.hang {
				at := j.FirstSeed + (out.First+uint64(len(out.Hashes)))*campaign.BatchSize
				lost := &result{Number: out.Number, Failed: fmt.Sprintf("%s: no end of the seeds from %d on in %s of processor time", j.Scenario, at, w.hang)}
				w.complain("%s", lost.Failed)
				_ = w.store(ctx, subject, lost, msg)
				os.Exit(1)
			}
			_ = msg.InProgress()
			w.say()
		}
	})
	return func() {
		close(stop)
		watching.Wait()
	}
}

// ready finds a job, and keeps it. Whether it is stopped is read anew now and then.
func (w *worker) ready(ctx context.Context, id string) (*ready, error) {
	if known := w.jobs[id]; known != nil && time.Since(known.read) < lotWait {
		return known, nil
	}
	ctx, cancel := context.WithTimeout(ctx, beat)
	defer cancel()
	j, err := w.job(ctx, id)
	if err != nil {
		return nil, err
	}
	known := w.jobs[id]
	if known == nil {
		known = new(ready)
		if known.subjects, known.cfg, err = j.campaign(); err != nil {
			return nil, fmt.Errorf("job %s: %w", id, err)
		}
		w.jobs[id] = known
	}
	known.job, known.read = *j, time.Now()
	return known, nil
}

// pack is the form of a result in its message.
func pack(r *result) ([]byte, error) {
	var text bytes.Buffer
	z := gzip.NewWriter(&text)
	err := errors.Join(json.NewEncoder(z).Encode(r), z.Close())
	return text.Bytes(), err
}

// largest is how long an unpacked result is at most.
const largest = 64 << 20

func unpack(text []byte) (*result, error) {
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	r := new(result)
	return r, json.NewDecoder(io.LimitReader(z, largest)).Decode(r)
}

// workers keeps so many processes of this program at work until the context ends. One that fails is started again.
func workers(ctx context.Context, n int, args []string, complain func(string, ...any)) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			for wait := time.Second; ctx.Err() == nil; wait = min(2*wait, time.Minute) {
				began := time.Now()
				err := process(ctx, self, args)
				if err == nil {
					return // it was idle
				}
				if time.Since(began) > time.Minute {
					wait = time.Second
				}
				if ctx.Err() == nil {
					complain("a worker ended (%v); another one begins in %s", err, wait)
					select {
					case <-ctx.Done():
					case <-time.After(wait):
					}
				}
			}
		})
	}
	all.Wait()
	return nil
}

// process runs a worker. It ends with this process, since its standard input does.
func process(ctx context.Context, self string, args []string) error {
	c := exec.CommandContext(ctx, self, args...)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = beat
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	defer in.Close()
	return c.Run()
}

// endsWithInput ends the context when standard input ends.
func endsWithInput(ctx context.Context, in io.Reader) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	return ctx, cancel
}

// worthIt is how much work a lot is: so much that the way to the server costs nothing beside it.
var worthIt = 3 * time.Second

// lotOf says how many batches of a campaign are a lot, by a measurement. Another machine may come to another number: that of the
// first one holds.
func lotOf(ctx context.Context, newSubject func() explore.Subject, cfg campaign.Config) (uint64, error) {
	cfg.Seeds, cfg.For, cfg.Workers, cfg.StopAfter, cfg.Failed, cfg.Progress = 0, worthIt/10, 1, 0, nil, nil
	r, err := campaign.Run(ctx, newSubject, cfg)
	if err != nil {
		return 0, err
	}
	perSchedule := r.CPU.Seconds() / float64(max(r.Schedules, 1))
	return uint64(math.Ceil(worthIt.Seconds() / max(perSchedule, 1e-9) / campaign.BatchSize)), nil
}
