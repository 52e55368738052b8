package etcd

import "github.com/watchbed/watchbed/sim/option"

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

// behaviours are the options in which releases differ. The values of each are in
// the order of the releases that brought them.
var behaviours = option.NewGroup("etcd",
	option.Choice("progress", func(b *Behaviour) *Progress { return &b.Progress },
		"what becomes of a WatchProgressRequest",
		option.Value{Name: "control-queue", Doc: "recvLoop answers it through ctrlStream, past events and whether or not watchers are synced (#15220)"},
		option.Value{Name: "deferred", Doc: "answered through the watch channel; with an unsynced watcher it waits until sendLoop has sent something (#17507)"},
		option.Value{Name: "dropped", Doc: "answered through the watch channel; with an unsynced watcher it is forgotten"},
		option.Value{Name: "dropped-below-start", Doc: "the same, and forgotten while a watcher starts at a revision that does not exist yet"}),
	option.Choice("progress-echo", func(b *Behaviour) *ProgressEcho { return &b.ProgressEcho },
		"whether progress names the request that it answers",
		option.Value{Name: "none", Doc: "it does not: all releases"},
		option.Value{Name: "echoed", Doc: "it carries the request's id: no release (the first draft of KEP-2340)"}),
	option.Choice("notify-min-rev", func(b *Behaviour) *NotifyMinRev { return &b.NotifyMinRev },
		"when notify advances the first revision that a watcher still wants",
		option.Value{Name: "on-failure", Doc: "if the channel was full, so that a restore sends the others everything again (#15271)"},
		option.Value{Name: "always", Doc: "with every event"}),
	option.Choice("sync-min-rev", func(b *Behaviour) *SyncMinRev { return &b.SyncMinRev },
		"how syncWatchers advances the first revision that a watcher still wants",
		option.Value{Name: "set-to-next", Doc: "to the current revision + 1, even if the watcher starts later (#20221)"},
		option.Value{Name: "never-lowered", Doc: "to the same, unless it is past that already"}),
	option.Choice("compacted-unsynced", func(b *Behaviour) *CompactedUnsynced { return &b.CompactedUnsynced },
		"what syncWatchers does with a compacted watcher whose channel is full",
		option.Value{Name: "falls-through", Doc: "it becomes synced, with events missing (#17529)"},
		option.Value{Name: "skipped", Doc: "it stays unsynced, and the next round tries again"}),
	option.Choice("create-at-zero", func(b *Behaviour) *CreateAtZero { return &b.CreateAtZero },
		"how a watch from revision 0 gets its start",
		option.Value{Name: "read-before-register", Doc: "recvLoop reads the revision, adds one, and registers the watch later"},
		option.Value{Name: "passed-through", Doc: "the watchable store picks it while it registers the watch"}),
	option.Choice("created", func(b *Behaviour) *Created { return &b.Created },
		"the way of the answer to a create request",
		option.Value{Name: "past-channel", Doc: "through ctrlStream, past progress in the watch channel: all releases"},
		option.Value{Name: "in-order", Doc: "through the watch channel: no release"}),
	option.Choice("negative-start", func(b *Behaviour) *NegativeStart { return &b.NegativeStart },
		"what becomes of a watch from a revision below 0",
		option.Value{Name: "accepted", Doc: "the watchers that are synced with it miss their events (#20693)"},
		option.Value{Name: "refused", Doc: "it is cancelled at once"}),
	option.Choice("compact-tombstone", func(b *Behaviour) *CompactTombstone { return &b.CompactTombstone },
		"what a compaction does with a deletion at the compacted revision",
		option.Value{Name: "removed", Doc: "a watch from that revision misses it (#18089)"},
		option.Value{Name: "kept", Doc: "it stays until the next compaction"}),
	option.Choice("restore-tombstone", func(b *Behaviour) *RestoreTombstone { return &b.RestoreTombstone },
		"what a restart makes of a key of which only a deletion is left",
		option.Value{Name: "not-indexed", Doc: "the compaction that goes on removes the deletion (#19179)"},
		option.Value{Name: "indexed", Doc: "it is indexed as any other key"}),
	option.Choice("restore-revision", func(b *Behaviour) *RestoreRevision { return &b.RestoreRevision },
		"how a restart finds the current revision",
		option.Value{Name: "from-keys", Doc: "the newest that is left, which goes back if a compaction was interrupted (#17780)"},
		option.Value{Name: "from-scheduled-compaction", Doc: "the same, and at least the compaction's"}),
)

// With returns the behaviour with one option set. The error names the option and
// what it takes.
func (b Behaviour) With(name, value string) (Behaviour, error) {
	err := behaviours.Set(&b, name, value)
	return b, err
}
