package shell

import (
	"time"

	"github.com/watchbed/watchbed/sim"
)

// ReadTimes says where the time of one List or Get went. What is missing from
// Total was spent on the way between goroutines.
type ReadTimes struct {
	// Total is from the call to its return.
	Total time.Duration
	// Etcd is what requests to etcd on the read's behalf took: of a consistent
	// LIST its revision read, of a read that was delegated the read itself.
	Etcd time.Duration
	// Wait is from etcd's answer, or from the arrival of a read that asked etcd
	// nothing, until the step that answered the read: the wait for the cache to be
	// fresh (apiserver_watch_cache_read_wait_seconds).
	Wait time.Duration
	// Serve is that step: finding the objects and making the answer.
	Serve time.Duration
}

// stopwatch takes the times of one read.
type stopwatch struct {
	called time.Time
	// ready is when nothing but the cache itself could hold the read up any more.
	ready time.Time
	times ReadTimes
}

// asked: etcd has answered a request that was made for the read.
func (s *stopwatch) asked(sent, answered time.Time) {
	s.times.Etcd += answered.Sub(sent)
	s.ready = answered
}

// answered: the cache sent its answer in the step that began at the given
// reading of the world's clock, and it has come.
func (s *stopwatch) answered(l *loop, step sim.Time) {
	began := l.began.Add(time.Duration(step))
	s.times.Wait = max(0, began.Sub(s.ready))
	s.times.Serve = time.Since(began)
}
