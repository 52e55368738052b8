package etcd

import "github.com/watchbed/watchbed/sim/dimension"

// Progress is what becomes of a WatchProgressRequest.
type Progress uint8

const (
	// ControlQueue: the receive loop puts the current revision on ctrlStream,
	// past the events in the watch channel and whether or not watchers are
	// synced (#15220).
	ControlQueue Progress = iota
	// Deferred: through the watch channel if all watchers of the stream are
	// synced; else it is remembered and tried again once sendLoop has sent
	// something from that channel (#17507).
	Deferred
	// Dropped: through the watch channel if all watchers are synced; else the
	// request is forgotten.
	Dropped
	// DroppedBelowStart: as Dropped, and forgotten too while a watcher of the
	// stream starts at a revision that does not exist yet (#20221).
	DroppedBelowStart
)

// ProgressEcho is whether progress names the request that it answers.
type ProgressEcho uint8

const (
	// EchoNone: it does not, in any release.
	EchoNone ProgressEcho = iota
	// Echoed: it carries WatchProgressRequest.ID (the first draft of KEP-2340,
	// "Potential Future Improvements").
	Echoed
)

// NotifyMinRev is when notify advances the first revision that a watcher still
// wants.
type NotifyMinRev uint8

const (
	// OnFailure: only if the channel was full, so that a watcher that kept up
	// is sent everything again after a restore (#15271).
	OnFailure NotifyMinRev = iota
	// Always: with every event.
	Always
)

// SyncMinRev is how syncWatchers advances the first revision that a watcher
// still wants.
type SyncMinRev uint8

const (
	// SetToNext: to the current revision + 1, even if the watcher, moved to the
	// unsynced ones by a restore, starts later than that (#20221).
	SetToNext SyncMinRev = iota
	// NeverLowered: to the same, unless it is past that already.
	NeverLowered
)

// CompactedUnsynced is what syncWatchers does with a watcher whose compaction
// response did not fit into the channel.
type CompactedUnsynced uint8

const (
	// FallsThrough: it goes on as if nothing was wrong, and the watcher becomes
	// synced with events missing (#17529).
	FallsThrough CompactedUnsynced = iota
	// Skipped: the watcher stays unsynced and the next round tries again.
	Skipped
)

// CreateAtZero is how a watch from revision 0, "from now on", gets its start.
type CreateAtZero uint8

const (
	// ReadBeforeRegister: recvLoop reads the revision, adds one, and registers
	// later: the watch starts behind the revision that Created names.
	ReadBeforeRegister CreateAtZero = iota
	// PassedThrough: the watchable store picks the start; Created names the
	// revision read after that, which may already be past some events.
	PassedThrough
)

// Created is the way of the answer to a create request.
type Created uint8

const (
	// CreatedPastChannel: through ctrlStream. It can be sent before progress for
	// all watches of the stream that was queued when the watch did not exist yet,
	// which the client then takes for progress of the new watch too. All
	// releases do it.
	CreatedPastChannel Created = iota
	// CreatedInOrder: through the watch channel, behind what was queued before.
	// No release does it.
	CreatedInOrder
)

// NegativeStart is what becomes of a watch from a revision below 0.
type NegativeStart uint8

const (
	// Accepted: a start of -1 counts as unsynced while nothing was ever
	// compacted, and empties the range that syncWatchers reads for everybody
	// (#20693).
	Accepted NegativeStart = iota
	// Refused: the watch is cancelled at once.
	Refused
)

// CompactTombstone is what a compaction does with a deletion at exactly the
// compacted revision.
type CompactTombstone uint8

const (
	// Removed: a watch from that revision misses the deletion (#18089).
	Removed CompactTombstone = iota
	// Kept: the deletion stays until the next compaction.
	Kept
)

// RestoreTombstone is what a restart makes of a key of which only a deletion is
// left.
type RestoreTombstone uint8

const (
	// NotIndexed: the compaction that was interrupted and now goes on removes
	// the deletion (#19179).
	NotIndexed RestoreTombstone = iota
	// Indexed: as any other key.
	Indexed
)

// RestoreRevision is how a restart finds the current revision.
type RestoreRevision uint8

const (
	// FromKeys: the newest revision that is left in the store, which goes back
	// if a compaction removed the newest ones and was interrupted (#17780).
	FromKeys RestoreRevision = iota
	// FromScheduledCompaction: the same, but no less than the compaction.
	FromScheduledCompaction
)

// Behaviour has one value for each way in which versions of etcd differ to a
// client that watches. The zero value is the oldest behaviour everywhere.
type Behaviour struct {
	Progress          Progress
	ProgressEcho      ProgressEcho
	NotifyMinRev      NotifyMinRev
	SyncMinRev        SyncMinRev
	CompactedUnsynced CompactedUnsynced
	CreateAtZero      CreateAtZero
	Created           Created
	NegativeStart     NegativeStart
	CompactTombstone  CompactTombstone
	RestoreTombstone  RestoreTombstone
	RestoreRevision   RestoreRevision
}

// Dimension is one way in which versions differ.
type Dimension = dimension.Dimension

var dimensions = dimension.Table[Behaviour]{
	{Name: "progress", Values: []string{"control-queue", "deferred", "dropped", "dropped-below-start"},
		Get: func(b *Behaviour) int { return int(b.Progress) },
		Set: func(b *Behaviour, v int) { b.Progress = Progress(v) }},
	{Name: "progress-echo", Values: []string{"none", "echoed"},
		Get: func(b *Behaviour) int { return int(b.ProgressEcho) },
		Set: func(b *Behaviour, v int) { b.ProgressEcho = ProgressEcho(v) }},
	{Name: "notify-min-rev", Values: []string{"on-failure", "always"},
		Get: func(b *Behaviour) int { return int(b.NotifyMinRev) },
		Set: func(b *Behaviour, v int) { b.NotifyMinRev = NotifyMinRev(v) }},
	{Name: "sync-min-rev", Values: []string{"set-to-next", "never-lowered"},
		Get: func(b *Behaviour) int { return int(b.SyncMinRev) },
		Set: func(b *Behaviour, v int) { b.SyncMinRev = SyncMinRev(v) }},
	{Name: "compacted-unsynced", Values: []string{"falls-through", "skipped"},
		Get: func(b *Behaviour) int { return int(b.CompactedUnsynced) },
		Set: func(b *Behaviour, v int) { b.CompactedUnsynced = CompactedUnsynced(v) }},
	{Name: "create-at-zero", Values: []string{"read-before-register", "passed-through"},
		Get: func(b *Behaviour) int { return int(b.CreateAtZero) },
		Set: func(b *Behaviour, v int) { b.CreateAtZero = CreateAtZero(v) }},
	{Name: "created", Values: []string{"past-channel", "in-order"},
		Get: func(b *Behaviour) int { return int(b.Created) },
		Set: func(b *Behaviour, v int) { b.Created = Created(v) }},
	{Name: "negative-start", Values: []string{"accepted", "refused"},
		Get: func(b *Behaviour) int { return int(b.NegativeStart) },
		Set: func(b *Behaviour, v int) { b.NegativeStart = NegativeStart(v) }},
	{Name: "compact-tombstone", Values: []string{"removed", "kept"},
		Get: func(b *Behaviour) int { return int(b.CompactTombstone) },
		Set: func(b *Behaviour, v int) { b.CompactTombstone = CompactTombstone(v) }},
	{Name: "restore-tombstone", Values: []string{"not-indexed", "indexed"},
		Get: func(b *Behaviour) int { return int(b.RestoreTombstone) },
		Set: func(b *Behaviour, v int) { b.RestoreTombstone = RestoreTombstone(v) }},
	{Name: "restore-revision", Values: []string{"from-keys", "from-scheduled-compaction"},
		Get: func(b *Behaviour) int { return int(b.RestoreRevision) },
		Set: func(b *Behaviour, v int) { b.RestoreRevision = RestoreRevision(v) }},
}

// Dimensions lists all dimensions with their present values, in a fixed order.
func (b Behaviour) Dimensions() []Dimension { return dimensions.Of(b) }

// With returns the behaviour with one dimension set to one of its values. It
// returns an error that lists the choices if there is no such dimension or
// value.
func (b Behaviour) With(dim, value string) (Behaviour, error) {
	return dimensions.With("etcd", b, dim, value)
}
