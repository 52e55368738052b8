package protocol

// Kind is what a message says. Each begins with its kind and the number of the
// connection that it belongs to. Blank numbers are free.
type Kind byte

// To the guest.
const (
	// Start is the first message: Config.
	Start Kind = iota + 1
	// List, Get, Watch and Readyz are what clients ask. The connection is the client's.
	List
	Get
	Watch
	Readyz
	// Hangup says that a client is gone, or that a stream to etcd has ended.
	Hangup
	// Ranged, Txned and Refused answer a call of the guest, WatchResponse comes
	// on a stream. The connection is the guest's.
	Ranged
	Txned
	Refused
	WatchResponse
	// Versioned answers Status.
	Versioned
	// Inspect ends each step: it asks what the cache is like, if that is new. An etcd is asked whether it has something
	// to do.
	Inspect
	// Recall asks for the snapshots of the cache.
	Recall
	// Apply is what one write of the raft log changes, Compact a compaction in it. A guest that is an etcd takes
	// CreateWatch, CancelWatch and RequestProgress, and sends WatchResponse.
	Apply
	Compact
	// Restore has an etcd install a snapshot of what it has.
	Restore
	// Drained says that a connection which was full takes messages again.
	Drained
	_
	// Streamed is a part of the answer to RangeStream; Hangup or Refused ends it.
	Streamed
	// Crash asks an etcd what is on its disk, and Reopen is the first message to one that starts with that.
	Crash
	Reopen
	// Create, Update and Delete are writes of clients through the storage.
	Create
	Update
	Delete
	// As is the token of a user, and behind it a Do or a CreateWatch with which it goes.
	As
	// Unreachable has a member of a cluster know that another one could not be reached, Reachable that there is a
	// connection again.
	Unreachable
	Reachable
)

// From the guest.
const (
	// Listed, Got, Event and Failed answer clients. After Failed and Closed the connection is gone.
	Listed Kind = iota + 64
	Got
	Event
	Failed
	Closed
	IsReady
	// Established says that a watch has begun.
	Established
	// Range and Txn are calls to etcd. Open opens a stream to it, of which the first message
	// comes with CreateWatch.
	Range
	Txn
	Open
	CreateWatch
	CancelWatch
	RequestProgress
	CloseStream
	// Status asks an endpoint of etcd for its version.
	Status
	// Shown answers Inspect: what is in the cache, and whether it is ready. That of an etcd is whether it has nothing
	// to do until it is sent something, and what it holds for clients.
	Shown
	// Snapshots answers Recall.
	Snapshots
	_
	_
	_
	// RangeStream is a Range whose answer comes in parts.
	RangeStream
	// Disk answers Crash: the buckets of the backend. Reopened answers Reopen: the index of the last entry of the raft
	// log that is in the backend.
	Disk
	Reopened
	// Wrote and Denied answer writes: the object, or why the one that there is does not allow it.
	Wrote
	Denied
	// Started says that a member of a cluster runs, Ready that it has joined, Stopped that it has stopped by itself.
	// Logged is a line of its log.
	Started
	Ready
	Stopped
	Logged
	// Located says at which URLs a member of the cluster is. The first one of a process is about itself.
	Located
	// Proposed says that a request was proposed to raft, by its number: the connection is that of the client, 0 if etcd
	// itself asks. Applied says that a member has applied it, and whether it was carried out.
	Proposed
	Applied
)

// Do asks a member of a cluster for an operation of etcd's KV API, and Did answers it. The connection is the client's.
const (
	Do Kind = iota + 128
	Did
)

// Both ways, between the members of a cluster. Of PeerRequest and PeerResponse the connection is that of the request.
const (
	Raft Kind = iota + 136
	// RaftSnapshot has a snapshot with the database. SnapshotSent says what became of it, by its ticket.
	RaftSnapshot
	SnapshotSent
	PeerRequest
	PeerResponse
	// Gone tells a member that sends that it has been removed from the cluster.
	Gone
)

// Operations of the KV API, in a Do, a Did and in transactions.
const (
	OpRange byte = iota
	OpPut
	OpDeleteRange
	OpTxn
)

// Operations of etcd's other APIs, in a Do and a Did of a member of a cluster.
const (
	OpCompact byte = iota + 16
	OpGrant
	OpRevoke
	OpKeepAlive
	OpTimeToLive
	OpStatus
	OpHashKV
	OpMoveLeader
	OpDefragment
	OpAlarm
	OpMemberList
	OpMemberAdd
	OpMemberRemove
	OpMemberPromote
	OpDowngrade
	OpAuthEnable
	OpAuthDisable
	OpAuthStatus
	OpAuthenticate
	OpUserAdd
	OpUserDelete
	OpUserChangePassword
	OpUserGrantRole
	OpUserRevokeRole
	OpUserGet
	OpUserList
	OpRoleAdd
	OpRoleDelete
	OpRoleGrantPermission
	OpRoleRevokePermission
	OpRoleGet
	OpRoleList
	OpMemberUpdate
)

// Lanes of Raft messages: the two streams that there are to each member.
const (
	LaneMessage byte = iota
	LaneAppend
)

// Codes of errors are those of package wire.
const (
	ErrCompacted byte = iota + 1
	ErrFutureRev
	TooLargeResourceVersion
	TooManyRequests
	Unavailable
	BadRequest
	Internal
	NoLeader
	Unimplemented
	KeyExists
	KeyNotFound
	Conflict
	Forbidden
)

// Two names among the feature gates in a Start are none of an API server's: a gate of client-go's, and a variable of
// the environment that has the watch cache panic where it finds its invariants broken.
const (
	GateWatchListClient = "WatchListClient"
	GatePanics          = "KUBE_WATCHCACHE_CONSISTENCY_CHECKER"
)

// Origins of answers are those of package wire.
const (
	FromCache byte = iota
	FromEtcd
	FromFallback
)

// Types of events are those of package wire.
const (
	Added byte = iota
	Modified
	Removed
	Bookmark
	Error
)

// Outcomes of comparisons with etcd are those of sim/cache/check.
const (
	Pending byte = iota
	Consistent
	Inconsistent
	CheckFailed
)
