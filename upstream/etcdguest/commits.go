//go:build wasip1

package main

import (
	"github.com/google/btree"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// commits are what may be on disk when the process is killed. etcd commits what it has written every 100 ms, and at
// once where the store wants that. When the ticker was due is not known, so that the disk may have what there was
// whenever the lock was given back.
type commits struct {
	// save writes what etcd writes at the end of each commit.
	save func(BatchTx)
	// last are the states in question, the newest one last. The first is on disk in any case, unless there are too
	// many.
	last []buckets
	// written: something was since the newest of them.
	written bool
}

// mostCommits is how many states are kept. It makes no difference to a server how much longer the ticker was not due:
// the raft log has what the disk lacks.
const mostCommits = 4

// commit puts everything on disk.
func (m *memory) commit() {
	m.Lock()
	m.commits.last = nil
	m.commits.written = true
	m.Unlock()
}

// Unlock implements sync.Locker: the ticker may be due now.
func (m *memory) Unlock() {
	if c := &m.commits; c.written {
		if c.save != nil {
			c.save(m)
		}
		c.last, c.written = append(c.last, m.buckets.clone()), false
		if len(c.last) > mostCommits {
			c.last = c.last[1:]
		}
	}
	m.Mutex.Unlock()
}

// disk writes what is on disk if so many commits did not take place.
func (m *memory) disk(w *protocol.Writer, lost int64) {
	last := m.commits.last
	on := last[max(0, int64(len(last))-1-lost)]
	w.Int(int64(len(on)))
	// Few buckets have small numbers, and the order of a map is none.
	for id := BucketID(0); id < mostBuckets; id++ {
		of := on[id]
		if of == nil {
			continue
		}
		w.Int(int64(id)).Int(int64(of.Len()))
		of.Ascend(func(i btree.Item) bool {
			p := i.(*pair)
			w.Text(string(p.key)).Text(string(p.value))
			return true
		})
	}
}

// mostBuckets is above the number of each bucket of etcd.
const mostBuckets = 256

// load puts in what was on disk.
func (m *memory) load(r *protocol.Reader) {
	for range r.Int() {
		id, of := BucketID(r.Int()), btree.New(32)
		m.buckets[id] = of
		for range r.Int() {
			of.ReplaceOrInsert(&pair{[]byte(r.Text()), []byte(r.Text())})
		}
	}
}
