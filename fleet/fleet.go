// Package fleet has the campaigns of simrun run carried out by many machines. NATS JetStream keeps the work and what
// came of it: a campaign is a job, cut into lots (campaign.Lot), and what its lots came to adds up to the same result,
// to the bit, as on one machine.
//
// Nothing rests on the queue. The lots of a job follow from the job, a lot's result is stored once under its number, and
// the command that waits for a job queues again each lot that has neither a result nor a place in the queue. So a worker,
// the server or that command may die at any point, and a lot that runs twice counts once: both runs come to the same.
package fleet

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// Streams and buckets of the fleet.
const (
	lotsStream    = "WATCHBED_LOTS"
	resultsStream = "WATCHBED_RESULTS"
	jobsBucket    = "watchbed-jobs"
	workersBucket = "watchbed-workers"

	lotsSubject    = "watchbed.lots."    // BUILD.JOB.LOT
	resultsSubject = "watchbed.results." // JOB.LOT
)

// lotWait is how long a lot may be with a worker that says nothing of it before another one gets it.
var lotWait = 30 * time.Second

// job is a campaign that the fleet carries out.
type job struct {
	// Build is the program that carries it out: another one may come to other runs.
	Build      string
	Scenario   string
	Parameters []option.Setting
	Strategy   string
	FirstSeed  uint64
	Seeds      uint64
	// What follows is not part of its identity. Batches is how many each lot has, Command asks for it again.
	Batches uint64
	Command []string
	// Stopped: no lot of it is begun any more.
	Stopped bool
}

// id follows from what is run: the same campaign is the same job, whoever asks for it, and however often.
func (j *job) id() string {
	same := *j
	same.Batches, same.Command, same.Stopped = 0, nil, false
	text, err := json.Marshal(same)
	if err != nil {
		panic(err) // strings and numbers
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// campaign is what a lot of the job needs.
func (j *job) campaign() (func() explore.Subject, campaign.Config, error) {
	sc, p, err := testbed.RecordedScenario(j.Scenario, j.Parameters)
	if err != nil {
		return nil, campaign.Config{}, err
	}
	subjects, err := sc.Subjects(p)
	if err != nil {
		return nil, campaign.Config{}, err
	}
	s, err := strategy.Find(j.Strategy)
	return subjects, campaign.Config{Strategy: s, FirstSeed: j.FirstSeed, Seeds: j.Seeds, Workers: 1, Steps: p.Clock.Steps}, err
}

// lots is how many it is cut into.
func (j *job) lots() uint64 { return campaign.Lots(j.Seeds, j.Batches) }

// result is what came of a lot.
type result struct {
	// Number is that of the lot.
	Number uint64
	campaign.Lot
	// Failed is why it has no result: the simulation is at fault, or the lot does not end.
	Failed string `json:",omitempty"`
}

// build is the stamp of this program: a digest of its file.
var build = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:6]), nil
})

// client is a connection to the fleet's server.
type client struct {
	conn    *nats.Conn
	js      jetstream.JetStream
	queue   jetstream.Stream
	results jetstream.Stream
	jobs    jetstream.KeyValue
	workers jetstream.KeyValue
	build   string
}

// connect connects, and makes the streams that are not there yet.
func connect(ctx context.Context, to *server) (*client, error) {
	c := new(client)
	var err error
	if c.build, err = build(); err != nil {
		return nil, fmt.Errorf("this program cannot be read, so that it has no stamp: %w", err)
	}
	if c.conn, err = to.dial(); err != nil {
		return nil, fmt.Errorf("no NATS server at %s: %w; start one with `simrun fleet serve`, or name another with --nats", to.url, err)
	}
	if c.js, err = jetstream.New(c.conn); err == nil {
		err = c.open(ctx)
	}
	if err != nil {
		c.conn.Close()
		return nil, fmt.Errorf("JetStream at %s: %w", to.url, err)
	}
	return c, nil
}

func (c *client) open(ctx context.Context) (err error) {
	once := jetstream.StreamConfig{MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true}
	lots, results := once, once
	lots.Name, lots.Subjects, lots.Retention = lotsStream, []string{lotsSubject + ">"}, jetstream.WorkQueuePolicy
	// A lost place in the queue is found again: to wait for the disk at each would cost a millisecond a lot.
	lots.PersistMode = jetstream.AsyncPersistMode
	results.Name, results.Subjects = resultsStream, []string{resultsSubject + ">"}
	if c.queue, err = c.js.CreateOrUpdateStream(ctx, lots); err != nil {
		return err
	}
	if c.results, err = c.js.CreateOrUpdateStream(ctx, results); err != nil {
		return err
	}
	if c.jobs, err = c.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: jobsBucket}); err != nil {
		return err
	}
	c.workers, err = c.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: workersBucket, TTL: lotWait, Storage: jetstream.MemoryStorage})
	return err
}

// present reports whether a stream refused a message since it has one of that subject: it was sent before.
func present(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == 10077
}

// keep tries until the server has taken something, or the context ends: servers are restarted, and disks run full.
func keep(ctx context.Context, what string, complain func(string, ...any), store func(context.Context) error) error {
	for said := false; ; {
		try, cancel := context.WithTimeout(ctx, lotWait)
		err := store(try)
		cancel()
		if err == nil || present(err) || ctx.Err() != nil {
			return cmp.Or(ctx.Err(), nil)
		}
		if !said {
			complain("%s: %v; trying again until the server takes it", what, err)
			said = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// job reads one.
func (c *client) job(ctx context.Context, id string) (*job, error) {
	entry, err := c.jobs.Get(ctx, id)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, fmt.Errorf("there is no job %s (%w); `simrun fleet status` has all", id, err)
	}
	if err != nil {
		return nil, fmt.Errorf("job %s: %w", id, err)
	}
	j := new(job)
	return j, json.Unmarshal(entry.Value(), j)
}

// resultsOf is the subject of the results of a job.
func resultsOf(job string) string { return resultsSubject + job + ".*" }

// done is how many lots of a job have a result.
func (c *client) done(ctx context.Context, job string) (uint64, error) {
	// A consumer that reads nothing counts what there is to read.
	consumer, err := c.results.CreateConsumer(ctx, jetstream.ConsumerConfig{FilterSubject: resultsOf(job), AckPolicy: jetstream.AckNonePolicy, InactiveThreshold: lotWait})
	if err != nil {
		return 0, err
	}
	info := consumer.CachedInfo()
	return info.NumPending, c.results.DeleteConsumer(ctx, info.Name)
}

// isQueued reports whether a lot of a job is in the queue, or with a worker.
func (c *client) isQueued(ctx context.Context, id string, j *job) (bool, error) {
	_, err := c.queue.GetLastMsgForSubject(ctx, lotsSubject+j.Build+"."+id+".*")
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, nil
	}
	return err == nil, err
}

// jobIDs are those of all jobs.
func (c *client) jobIDs(ctx context.Context) ([]string, error) {
	ids, err := c.jobs.Keys(ctx)
	if errors.Is(err, jetstream.ErrNoKeysFound) {
		return nil, nil
	}
	slices.Sort(ids)
	return ids, err
}
