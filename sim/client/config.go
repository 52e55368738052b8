package client

import (
	"time"

	"github.com/watchbed/watchbed/sim"
)

// Config is what a Client is made of. DefaultConfig sets everything but Etcd.
type Config struct {
	// Behaviour is what versions differ in.
	Behaviour Behaviour
	// Etcd is the node that watches and unary requests go to, unless WatchMember
	// is another member, which watches go to: the balancer keeps a stream on the
	// endpoint that it was opened on, and spreads unary requests over all.
	Etcd, WatchMember sim.NodeID
	// IncomingBufSize is the number of parsed events that wait for
	// processEvents, OutgoingBufSize the number of results that wait for the
	// cache: etcd3's incomingBufSize and outgoingBufSize, 100 each. Both must be
	// at least 1.
	IncomingBufSize, OutgoingBufSize int
	// SyncPageSize is how many objects one page of a watch's initial events has:
	// etcd3's defaultWatcherMaxLimit, 10000.
	SyncPageSize int64
	// WatchBackoff is where the waiting time before a broken watch stream is
	// opened again begins: 1 ms. It grows by a quarter with each break, the
	// first one included, up to WatchBackoffMax: 100 ms. It never goes back.
	WatchBackoff, WatchBackoffMax sim.Duration
	// MaxUnaryRetries is how often a read is sent before the client gives up:
	// 100.
	MaxUnaryRetries int
	// BackoffWaitBetween is the time between an attempt's failure and the next:
	// 25 ms.
	BackoffWaitBetween sim.Duration
}

// DefaultConfig is what an API server has that was built with clientv3 of the
// given version ("3.5.13"). It returns an error if ForVersion does.
func DefaultConfig(version string) (Config, error) {
	b, err := ForVersion(version)
	return Config{
		Behaviour:          b,
		IncomingBufSize:    100,
		OutgoingBufSize:    100,
		SyncPageSize:       10000,
		WatchBackoff:       time.Millisecond,
		WatchBackoffMax:    100 * time.Millisecond,
		MaxUnaryRetries:    100,
		BackoffWaitBetween: 25 * time.Millisecond,
	}, err
}
