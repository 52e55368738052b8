package overlay

// stub stands for a file of a module that does not compile for wasip1.
type stub struct{ file, text string }

var stubs = []stub{
	// No journal of systemd takes the guest's log.
	{"github.com/coreos/go-systemd/v22/journal/journal_unix.go", `package journal

import "errors"

func Enabled() bool { return false }

func Send(string, Priority, map[string]string) error { return errors.New("no journal") }

func StderrIsJournalStream() (bool, error) { return false, nil }

func StdoutIsJournalStream() (bool, error) { return false, nil }
`},
	// The guest locks no files: its etcd is another node.
	{"go.etcd.io/etcd/client/pkg/v3/fileutil/lock_flock.go", `package fileutil

import "os"

func flockTryLockFile(path string, flag int, perm os.FileMode) (*LockedFile, error) { return nil, ErrLocked }

func flockLockFile(path string, flag int, perm os.FileMode) (*LockedFile, error) { return nil, ErrLocked }
`},
}

// added are files that a package of a module has beside its own.
var added = []stub{
	// What is in the watch cache, read while all goroutines wait: no lock is held half-way.
	{"k8s.io/apiserver/pkg/storage/cacher/watchbed.go", `package cacher

import "k8s.io/apiserver/pkg/storage/cacher/store"

func (c *Cacher) WatchbedContents() (uint64, store.Snapshot) {
	return c.watchCache.resourceVersion, c.watchCache.storage.StoreLocked()
}

// WatchbedCompacted is the compaction that the cacher has carried out in its snapshots, 0 if none.
func (c *Cacher) WatchbedCompacted() int64 {
	if c.compactor == nil {
		return 0
	}
	return c.compactor.compactRevision
}

func (c *Cacher) WatchbedSnapshots(f func(uint64, store.Snapshot)) {
	c.watchCache.storage.WatchbedSnapshots(f)
}
`},
	{"k8s.io/apiserver/pkg/storage/cacher/store/watchbed.go", `package store

// WatchbedSnapshots calls f for each snapshot, the oldest first.
func (w *WatchCacheStorage) WatchbedSnapshots(f func(uint64, Snapshot)) {
	if w.snapshots == nil {
		return
	}
	w.snapshots.(*storeSnapshotter).snapshots.Ascend(func(s rvSnapshot) bool {
		f(s.resourceVersion, s.snapshot)
		return true
	})
}
`},
}

// reduction is a folder of a module of which the guest needs a few files only.
type reduction struct {
	folder string
	keep   []string
}

var reduced = []reduction{
	// The storage layer calls WatchInitialized and nothing else.
	{"k8s.io/apiserver/pkg/util/flowcontrol", []string{"apf_context.go"}},
}
