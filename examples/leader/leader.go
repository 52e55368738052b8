// Package leader does work that one process at a time may do, as package concurrency of clientv3 has it: by a Mutex or
// by an Election, each of which a lease protects. Its test on the simulated etcd shows what a lease does not protect.
package leader

import (
	"context"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Work is what a leader writes, in so many steps. A write that is Fenced is refused once the lease of its leader has
// run out: a transaction compares the key that the lease has.
type Work struct {
	Client *clientv3.Client
	Name   string
	Fenced bool
	// TTL is that of the lease, in seconds.
	TTL, Steps int
	// Wrote is told each write that was carried out, and in whose term.
	Wrote func(revision int64, term string)
}

// ByMutex works once while it has the lock.
func (w *Work) ByMutex(ctx context.Context) error {
	s, err := concurrency.NewSession(w.Client, concurrency.WithTTL(w.TTL), concurrency.WithContext(ctx))
	if err != nil {
		return err
	}
	defer s.Close()
	m := concurrency.NewMutex(s, "lock/")
	if err := m.Lock(ctx); err != nil {
		return err
	}
	w.work(ctx, m.IsOwner(), m.Key())
	return m.Unlock(ctx)
}

// ByElection works once while it is elected.
func (w *Work) ByElection(ctx context.Context) error {
	s, err := concurrency.NewSession(w.Client, concurrency.WithTTL(w.TTL), concurrency.WithContext(ctx))
	if err != nil {
		return err
	}
	defer s.Close()
	e := concurrency.NewElection(s, "leader")
	if err := e.Campaign(ctx, w.Name); err != nil {
		return err
	}
	w.work(ctx, clientv3.Compare(clientv3.CreateRevision(e.Key()), "=", e.Rev()), e.Key())
	return e.Resign(ctx)
}

func (w *Work) work(ctx context.Context, leads clientv3.Cmp, term string) {
	for range w.Steps {
		txn := w.Client.Txn(ctx)
		if w.Fenced {
			txn = txn.If(leads)
		}
		if done, err := txn.Then(clientv3.OpPut("work", w.Name)).Commit(); err == nil && done.Succeeded {
			w.Wrote(done.Header.Revision, term)
		}
		select {
		case <-time.After(500 * time.Millisecond):
		case <-ctx.Done():
			return
		}
	}
}
