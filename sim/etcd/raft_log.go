package etcd

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// raftLog is the log of a single member: what is in it is committed. Entries are
// dropped when they are applied.
type raftLog struct {
	committedEntries
	appliedIndex
	// skipped: an entry was never applied, so that later writes have other revisions than
	// on other members.
	skipped state.Var[bool] `cell:"etcd: entries that were skipped"`
	// newest is the entry that was applied last, kept if a restart may repeat it.
	newest entry
}

// committedEntries: an item is an entry by its index.
type committedEntries struct {
	state.Cell[committedEntries] `cell:"etcd: raft log"`

	// entries are committed and not applied yet.
	entries   []entry
	committed uint64 `cell:"-"`
	// all is all that was committed, if there are followers.
	all []sim.Payload
}

// Clear makes it a new one, and keeps its memory.
func (l *committedEntries) Clear() {
	*l = committedEntries{Cell: l.Cell, entries: l.entries[:0], all: l.all[:0]}
}

// appliedIndex is how far the log is applied.
type appliedIndex struct {
	state.Cell[appliedIndex] `cell:"etcd: applied index"`

	applied uint64 `cell:"-"`
	ending  ending
}

// entry is a request, with where it came from: in the raft log, or in the hands of a handler.
type entry struct {
	payload sim.Payload
	conn    sim.Conn
	cause   sim.Cause `cell:"-"`
	from    sim.NodeID
}

func entryOf(m *sim.Message) entry { return entry{m.Payload, m.Conn, m.Cause, m.From} }

// waits reports whether an entry is not applied yet.
func (l *raftLog) waits() bool { return len(l.entries) > 0 }

// append puts an entry at the end.
func (l *raftLog) append(env *sim.Env, e entry) {
	l.committed++
	l.entries = append(l.committedEntries.ChangeItem(env, int64(l.committed)).entries, e)
}

// apply takes the next entry.
func (l *raftLog) apply(env *sim.Env) entry {
	l.appliedIndex.Change(env).applied++
	e := l.committedEntries.ReadItem(env, int64(l.applied)).entries[0]
	l.committedEntries.ChangeItem(env, int64(l.applied)).entries = slices.Delete(l.entries, 0, 1)
	return e
}

// lose drops the entries that are not applied.
func (l *raftLog) lose(env *sim.Env) {
	l.applied = l.committed
	l.committedEntries.ChangeItem(env, int64(l.applied)).entries = l.entries[:0]
}

// again has an entry applied once more, before the unapplied entries. Its client has no connection any more.
func (l *raftLog) again(env *sim.Env, e entry) {
	e.conn = sim.NoConn
	l.committedEntries.ChangeItem(env, int64(l.applied)).entries = slices.Insert(l.entries, 0, e)
	l.applied--
}

// LogOptions are about the raft log.
type LogOptions struct {
	Unapplied   UnappliedEntries
	BumpsBackup bool
}

// UnappliedEntries is what becomes of entries that are committed and not applied when the
// process restarts.
type UnappliedEntries uint8

const (
	// Applied: the new process applies them.
	Applied UnappliedEntries = iota
	// Skipped: the consistent index was saved without what they change, so that the new
	// process takes the first of them for applied. The member differs from the others
	// from then on (etcd-io/etcd#13766).
	Skipped
	// Repeated: the consistent index is behind the store, and the new process applies the
	// newest entry a second time (etcd-io/etcd#13514).
	Repeated
)

var logOptions = option.NewGroup("etcd",
	option.Either("backup-restore", func(o *LogOptions) *bool { return &o.BumpsBackup },
		"how etcd is restored from a backup (etcdutl snapshot restore)",
		option.Value{Name: "plain", Doc: "at the revision of the backup, which is etcdutl's default (kubernetes/kubernetes#107457)"},
		option.Value{Name: "bumped", Doc: "1,000 revisions later, and all that is older is compacted: --bump-revision with --mark-compacted"}),
	option.Choice("unapplied-entries", func(o *LogOptions) *UnappliedEntries { return &o.Unapplied },
		"what becomes of entries of the log that are committed and not applied when a member restarts",
		option.Value{Name: "applied", Doc: "the new process applies them"},
		option.Value{Name: "skipped", Doc: "it takes the first of them for applied, and differs from other members from then on (#13766)"},
		option.Value{Name: "repeated", Doc: "it applies them, and the newest entry that was applied a second time (#13514)"}),
)

// skip drops the first entry that is not applied, as a process does whose consistent
// index is ahead of its store.
func (s *Server) skip(env *sim.Env) {
	e := s.log.apply(env)
	env.Cover(coverSkipped)
	s.log.skipped.Set(env, true)
	skipped.Say(env, e.payload, s.store.CurrentRev()+1)
	if _, ok := e.payload.(*wire.CompactionRequest); ok {
		s.watch.CompactionApplied(env)
	}
}

// repeat has the entry that was applied last applied again. A compaction that is repeated is refused, so that it makes
// no difference.
func (s *Server) repeat(env *sim.Env) {
	e := s.log.newest
	if _, compacts := e.payload.(*wire.CompactionRequest); compacts || e.payload == nil {
		return
	}
	s.log.again(env, e)
	repeated.Say(env, write{e.payload})
}

// Commit is a write that was carried out. Ground truth is replayed from these
// requests, never from the server's own store.
type Commit struct {
	// Index is that of the entry in the raft log. It is the same on all members.
	Index uint64
	// Revision is the store's after the write. It is that of the write before if
	// this one changed nothing: the compare of a transaction failed, there was
	// nothing to delete, or it is a compaction.
	Revision int64
	// Request is a *wire.PutRequest, DeleteRangeRequest, TxnRequest or
	// CompactionRequest, or *Restored.
	Request sim.Payload
	// From and Conn are those of the request.
	From sim.NodeID
	Conn sim.Conn
}

// commits are the writes that were carried out.
type commits struct {
	all     []Commit `cell:"-"`
	forgets bool     `cell:"-"`
	// digest covers them: what is committed decides the verdict at the end.
	digest sim.Digest
}

func (c *commits) reset() { c.all, c.digest = c.all[:0], sim.NewDigest }

func (c *commits) add(index uint64, rev int64, e *entry) {
	if c.forgets {
		return
	}
	c.all = append(c.all, Commit{Index: index, Revision: rev, Request: e.payload, From: e.from, Conn: e.conn})
	c.digest = e.payload.Digest(c.digest.Int(rev).Word(uint64(e.from)))
}
