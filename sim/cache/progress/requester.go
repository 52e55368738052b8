package progress

import (
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Requester asks etcd for progress while reads wait. A cache has one.
type Requester interface {
	// Reset makes the requester that of a new process, and keeps its memory.
	Reset(Config)
	// Start begins with the stream for requests; life counts the starts.
	Start(env *sim.Env, life int)
	// Add counts one more waiting read, Remove one fewer.
	Add(env *sim.Env)
	Remove(env *sim.Env)
	// Run is one turn of the requester's loop, Config.Task.
	Run(env *sim.Env)
	// Fire is Config.Timer going off.
	Fire(env *sim.Env)
	// Heard takes a progress notification; id is that of the request that it
	// answers, 0 if it names none.
	Heard(env *sim.Env, id int64)
	// Proof returns what proves to a read that begins now that the cache is fresh:
	// Proved will say of it when that has come. 0 is no proof: the read has to ask
	// etcd for its revision.
	Proof(env *sim.Env) int64
	Proved(env *sim.Env, proof int64) bool
	// Distance is how far a proof is from coming: part of a cache's fingerprint.
	Distance(proof int64) int64
	// Hangup takes note that a connection has gone, and returns false if it was not
	// the requester's. Close ends the requester's.
	Hangup(conn sim.Conn) bool
	Close(env *sim.Env)

	// Clone returns a copy for another cache, whose reads are given.
	Clone(Waits) Requester
	Cells(visit sim.CellVisitor)
}

// Requests is the value of the option progress-requests.
type Requests uint8

// Requesters is the seam of when the cache asks etcd for progress. An
// implementation is made once for a cache and then reset for each run.
var Requesters = option.NewSeam[Requests, func() Requester]("progress-requests", "when the cache asks etcd for progress").
	Shipped("periodic", "every 100 ms while a read waits", func() Requester { return &conditional{} })

// The other values of progress-requests.
var (
	Once   = Requesters.Register("once", "once for each read that begins to wait (rejected by the draft of 2019)", func() Requester { return &once{} })
	Notify = Requesters.Register("notify", "never: etcd sends progress by itself at a configured interval (the draft of 2019)", func() Requester { return &notify{} })
	Echo   = Requesters.Register("echo", "with an id when a consistent read begins; the notification that echoes the id proves the watch as new as the read (the draft of 2019, Potential Future Improvements)", func() Requester { return &echo{} })
)

// Config is what one requester is made of.
type Config struct {
	// Watch is the node that takes progress requests.
	Watch sim.NodeID
	// Metadata goes with each request, so that it travels on the cache's stream.
	Metadata string
	// Period is the time between two requests.
	Period sim.Duration
	// Task and Timer are those of the node that the requester uses.
	Task  sim.Task
	Timer sim.Timer
	// Waits are the reads that wait.
	Waits Waits
}

// Waits are the reads on whose behalf etcd is asked.
type Waits interface {
	// DeclareWaits declares that the step depends on them.
	DeclareWaits(env *sim.Env)
	// ProgressRequested is called for each request.
	ProgressRequested(env *sim.Env)
}

// CellRequester is the state of the requester: its loop, and how many reads wait.
var CellRequester = sim.NewCell("cache: progress requester")

// stream is what all requesters have: the stream for requests and the number of
// reads that wait.
type stream struct {
	cfg     Config
	request *wire.ProgressRequest
	control sim.Conn
	cause   sim.Cause
	waiting int
}

func (s *stream) reset(cfg Config) {
	request := s.request
	if request == nil || request.Metadata != cfg.Metadata {
		request = &wire.ProgressRequest{Metadata: cfg.Metadata}
	}
	*s = stream{cfg: cfg, request: request}
}

// Start opens the stream.
func (s *stream) Start(env *sim.Env, life int) {
	env.Writes(CellRequester, 0)
	s.cause = env.Begin("progress", life)
	s.control = env.Open(s.cfg.Watch)
}

// Add counts one more waiting read.
func (s *stream) Add(env *sim.Env) {
	env.Writes(CellRequester, 0)
	s.waiting++
}

// Remove counts one fewer. It does not wake the loop.
func (s *stream) Remove(env *sim.Env) {
	env.Writes(CellRequester, 0)
	s.waiting--
}

func (s *stream) digest() sim.Digest {
	return sim.NewDigest.Int(int64(s.waiting)).Bool(s.control != sim.NoConn)
}

// send asks for progress.
func (s *stream) send(env *sim.Env, request *wire.ProgressRequest) {
	env.Cover(Requested)
	env.Add(progressRequestsSent, 1)
	env.Under(s.cause)
	if env.Recording() {
		s.cfg.Waits.DeclareWaits(env)
	}
	if env.Noting() {
		env.Note(requested{})
	}
	if !env.IsOpen(s.control) {
		s.control = env.Open(s.cfg.Watch)
	}
	env.Send(s.control, request)
	s.cfg.Waits.ProgressRequested(env)
}

// Hangup takes note that the stream has gone.
func (s *stream) Hangup(conn sim.Conn) bool {
	if conn != s.control {
		return false
	}
	s.control = sim.NoConn
	return true
}

// Close ends the stream.
func (s *stream) Close(env *sim.Env) { env.Close(s.control) }

// Heard makes no use of a notification.
func (s *stream) Heard(*sim.Env, int64) {}

// Proof is none: the read asks etcd for its revision.
func (s *stream) Proof(*sim.Env) int64 { return 0 }

// Proved is never asked.
func (s *stream) Proved(*sim.Env, int64) bool { return false }

// Distance is none.
func (s *stream) Distance(int64) int64 { return 0 }

// Requested counts the requests for progress.
var Requested = sim.NewSituation("cache: progress requested")

var (
	requesterAfterIdleness = sim.NewSituation("cache: progress requested at once after idleness")
	requesterTickUnwanted  = sim.NewSituation("cache: progress timer found no waiting read")
	requesterWokenInVain   = sim.NewSituation("cache: progress requester woken for a read that is gone")

	progressRequestsSent = metric.NewCounter("etcd_progress_requests_total", metric.Counted,
		"requests for a progress notification")
)
