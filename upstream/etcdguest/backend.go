//go:build wasip1

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"sync"

	"github.com/google/btree"

	"github.com/watchbed/watchbed/upstream/protocol"
	"github.com/watchbed/watchbed/upstream/protocol/etcdpb"
)

// memory is a backend that keeps everything in memory: a file would be state of the host, which is not saved
// with the guest.
type memory struct {
	sync.Mutex
	buckets
	// commits are what may be on disk.
	commits commits
	// onApply is called when an entry of the raft log takes the lock.
	onApply func()
}

// buckets are what is written, each in the order of its keys.
type buckets map[BucketID]*btree.BTree

var (
	_ Backend = (*memory)(nil)
	_ BatchTx = (*memory)(nil)
)

func newBackend() *memory { return &memory{buckets: buckets{}} }

// clone is another backend with the same contents.
func (m *memory) clone() *memory {
	return &memory{buckets: m.buckets.clone(), commits: commits{m.commits.save, []buckets{m.buckets.clone()}, false}, onApply: m.onApply}
}

// clone has the same contents.
func (b buckets) clone() buckets {
	c := buckets{}
	for id, of := range b {
		c[id] = of.Clone()
	}
	return c
}

// pair is what a bucket has for one key.
type pair struct{ key, value []byte }

// Less implements btree.Item.
func (p *pair) Less(other btree.Item) bool { return bytes.Compare(p.key, other.(*pair).key) < 0 }

// fill puts in what the store begins with, in the form in which the key bucket has it: by revision.
func (m *memory) fill(r *protocol.Reader) {
	m.UnsafeCreateBucket(Key)
	m.UnsafeCreateBucket(Meta)
	revision, compacted := r.Int(), r.Int()
	last, sub := int64(0), int64(0)
	for range r.Int() {
		kv := etcdpb.ReadKV(r)
		if sub++; kv.ModRevision != last {
			last, sub = kv.ModRevision, 0
		}
		value, err := Marshal(kv)
		if err != nil {
			panic(err)
		}
		m.UnsafePut(Key, revisionKey(last, sub), value)
	}
	if last < revision {
		// A deletion of what is not there: it has a revision and does nothing.
		m.UnsafePut(Key, append(revisionKey(revision, 0), 't'), nil)
	}
	if compacted > 0 {
		m.UnsafePut(Meta, []byte("finishedCompactRev"), revisionKey(compacted, 0))
	}
}

// revisionKey is the key of a change in the key bucket.
func revisionKey(main, sub int64) []byte {
	key := binary.BigEndian.AppendUint64(nil, uint64(main))
	return binary.BigEndian.AppendUint64(append(key, '_'), uint64(sub))
}

// UnsafeRange implements backend.ReadTx.
func (m *memory) UnsafeRange(b Bucket, key, end []byte, limit int64) (keys, values [][]byte) {
	of := m.buckets[b.ID()]
	if of == nil {
		return nil, nil
	}
	if len(end) == 0 {
		if found := of.Get(&pair{key: key}); found != nil {
			return [][]byte{found.(*pair).key}, [][]byte{found.(*pair).value}
		}
		return nil, nil
	}
	of.AscendRange(&pair{key: key}, &pair{key: end}, func(i btree.Item) bool {
		keys, values = append(keys, i.(*pair).key), append(values, i.(*pair).value)
		return limit <= 0 || int64(len(keys)) < limit
	})
	return keys, values
}

// UnsafeForEach implements backend.ReadTx.
func (m *memory) UnsafeForEach(b Bucket, visit func(k, v []byte) error) (err error) {
	if of := m.buckets[b.ID()]; of != nil {
		of.Ascend(func(i btree.Item) bool {
			err = visit(i.(*pair).key, i.(*pair).value)
			return err == nil
		})
	}
	return err
}

// UnsafeCreateBucket implements backend.BatchTx.
func (m *memory) UnsafeCreateBucket(b Bucket) {
	if m.buckets[b.ID()] == nil {
		m.buckets[b.ID()] = btree.New(32)
	}
}

// UnsafeDeleteBucket implements backend.BatchTx.
func (m *memory) UnsafeDeleteBucket(b Bucket) { delete(m.buckets, b.ID()) }

// UnsafePut implements backend.BatchTx.
func (m *memory) UnsafePut(b Bucket, key, value []byte) {
	m.commits.written = true
	m.buckets[b.ID()].ReplaceOrInsert(&pair{bytes.Clone(key), bytes.Clone(value)})
}

// UnsafeSeqPut implements backend.BatchTx.
func (m *memory) UnsafeSeqPut(b Bucket, key, value []byte) { m.UnsafePut(b, key, value) }

// UnsafeDelete implements backend.BatchTx.
func (m *memory) UnsafeDelete(b Bucket, key []byte) {
	m.commits.written = true
	m.buckets[b.ID()].Delete(&pair{key: key})
}

// Commit implements backend.BatchTx.
func (m *memory) Commit() { m.commit() }

// CommitAndStop implements backend.BatchTx.
func (m *memory) CommitAndStop() { m.commit() }

// LockInsideApply implements backend.BatchTx.
func (m *memory) LockInsideApply() {
	m.Lock()
	if m.onApply != nil {
		m.onApply()
	}
}

// LockOutsideApply implements backend.BatchTx.
func (m *memory) LockOutsideApply() { m.Lock() }

// RLock implements backend.ReadTx: nothing is written between two yields of a goroutine that reads.
func (*memory) RLock() {}

// RUnlock implements backend.ReadTx.
func (*memory) RUnlock() {}

// BatchTx implements backend.Backend.
func (m *memory) BatchTx() BatchTx { return m }

// ReadTx implements backend.Backend.
func (m *memory) ReadTx() ReadTx { return m }

// ConcurrentReadTx implements backend.Backend.
func (m *memory) ConcurrentReadTx() ReadTx { return m }

// Snapshot implements backend.Backend.
func (*memory) Snapshot() Snapshot { panic("etcdguest: the watch path takes no snapshot") }

// Hash implements backend.Backend.
func (*memory) Hash(func(bucket, key []byte) bool) (uint32, error) { return 0, errors.New("not kept") }

// Size implements backend.Backend.
func (*memory) Size() int64 { return 0 }

// SizeInUse implements backend.Backend.
func (*memory) SizeInUse() int64 { return 0 }

// OpenReadTxN implements backend.Backend.
func (*memory) OpenReadTxN() int64 { return 0 }

// Defrag implements backend.Backend.
func (*memory) Defrag() error { return nil }

// ForceCommit implements backend.Backend.
func (m *memory) ForceCommit() { m.commit() }

// Close implements backend.Backend.
func (*memory) Close() error { return nil }

// SetTxPostLockInsideApplyHook implements backend.Backend.
func (m *memory) SetTxPostLockInsideApplyHook(hook func()) { m.onApply = hook }
