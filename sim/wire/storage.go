package wire

import "github.com/watchbed/watchbed/sim"

// WatchStart asks Kubernetes' etcd3 watcher for a watch of everything under
// Prefix after Revision. It opens a stream between cache and watcher: a
// channel inside one process.
type WatchStart struct {
	Prefix         string
	Revision       int64
	ProgressNotify bool
	// Metadata is the gRPC context metadata: watches with equal metadata share
	// one etcd stream, and a progress request reaches all of them.
	Metadata string
	// SendInitialEvents as in WatchRequest, but unset means no. Initial events are
	// listed in etcd; the bookmark that ends them is the only one that
	// AllowBookmarks brings.
	SendInitialEvents SendInitialEvents
	AllowBookmarks    bool
	// Announce: StreamOpened comes before anything that a stream to etcd brings. No
	// release of clientv3 does that; an interceptor of its streams can.
	Announce bool
	// AnnounceStart: WatchEstablished comes once the revision is known after which the
	// watch begins (getStartWatchRV), before anything else.
	AnnounceStart bool
	// Selects: a selector decides which events the client is sent, for which a change has
	// to come with the object as it was before. Upstream the predicate is applied here
	// (watchChan.transform); this storage leaves it to the API server.
	Selects bool
	// WithoutPrevKV: etcd sends no previous values, so that a deletion comes with the key alone (kubernetes#131862).
	WithoutPrevKV bool
	// Single: Prefix is the key of one object, and no other is watched.
	Single bool
}

// StreamOpened says that a watch is created on a stream to etcd: the first time, and
// each time that the client library resumes it on a new one.
type StreamOpened struct{}

func (*StreamOpened) Digest(d sim.Digest) sim.Digest { return d.Text("stream opened") }
func (*StreamOpened) Label() string                  { return "stream opened" }

func (r *WatchStart) Digest(d sim.Digest) sim.Digest {
	d = d.Text("start").Text(r.Prefix).Int(r.Revision).Bool(r.ProgressNotify).Text(r.Metadata)
	if r.SendInitialEvents != SendInitialEventsUnset || r.AllowBookmarks {
		d = d.Word(uint64(r.SendInitialEvents)).Bool(r.AllowBookmarks)
	}
	d = d.If(r.Announce, "announce").If(r.AnnounceStart, "announce start")
	return d.If(r.Selects, "selects").If(r.WithoutPrevKV, "without prevKV").If(r.Single, "single")
}

func (r *WatchStart) Label() string {
	if r.SendInitialEvents == SendInitialEventsTrue {
		return "watch " + r.Prefix + " with initial events"
	}
	return "watch " + r.Prefix + " after " + itoa(r.Revision)
}

// ProgressRequest asks the client for Watcher.RequestProgress under the given
// metadata. It has no answer.
type ProgressRequest struct {
	Metadata string
	// ID as in WatchProgressRequest.
	ID int64
}

func (r *ProgressRequest) Digest(d sim.Digest) sim.Digest {
	return d.Text("request progress").Text(r.Metadata).Set(r.ID)
}

func (r *ProgressRequest) Label() string { return "request progress" }

// WatchEventType is watch.EventType.
type WatchEventType uint8

// The types of storage watch events.
const (
	Added WatchEventType = iota
	Modified
	Deleted
	Bookmark
	Failed
)

var watchEventNames = [...]string{"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"}

func (t WatchEventType) String() string { return watchEventNames[t] }

// WatchEvent is one event of a storage watch: from the etcd3 watcher to the
// cache, and from the cache to its watchers.
type WatchEvent struct {
	Type WatchEventType
	// InitialEventsEnd is the annotation k8s.io/initial-events-end of a bookmark:
	// everything up to its ResourceVersion has been sent (KEP-3157).
	InitialEventsEnd bool
	// ResourceVersion of the change, of the bookmark, or 0 with an error.
	ResourceVersion int64
	// Item is the object after the change, before it with Deleted.
	Item *KeyValue
	Prev *KeyValue
	Err  *Error
	// ProgressID of a bookmark that answers a ProgressRequest with an ID.
	ProgressID int64
}

func (e *WatchEvent) Digest(d sim.Digest) sim.Digest {
	d = d.Text("event").Word(uint64(e.Type)).Int(e.ResourceVersion).If(e.InitialEventsEnd, "initial events end")
	d = e.Prev.Digest(e.Item.Digest(d.Set(e.ProgressID)))
	if e.Err != nil {
		d = e.Err.Digest(d)
	}
	return d
}

// Objects implements sim.Bulky: a bookmark and an error have none.
func (e *WatchEvent) Objects() int {
	if e.Item == nil {
		return 0
	}
	return 1
}

func (e *WatchEvent) Label() string {
	s := e.Type.String() + " RV=" + itoa(e.ResourceVersion)
	switch {
	case e.Item != nil:
		return s + " " + e.Item.Key + "=" + e.Item.Value
	case e.Err != nil:
		return s + " " + e.Err.Code.String()
	case e.InitialEventsEnd:
		return s + ", the end of the initial events"
	}
	return s
}

// ReadyzRequest asks a cache to say when it may be read. It stands for the load
// balancer, or the client, that polls /readyz of an API server and sends nothing
// before: a poll that is answered "not yet" changes nothing on either side, so
// one request with a late answer is the same as many.
type ReadyzRequest struct{}

func (*ReadyzRequest) Digest(d sim.Digest) sim.Digest { return d.Text("readyz") }
func (*ReadyzRequest) Label() string                  { return "readyz" }

// ReadyzResponse says that the cache may be read.
type ReadyzResponse struct{}

func (*ReadyzResponse) Digest(d sim.Digest) sim.Digest { return d.Text("ready") }
func (*ReadyzResponse) Label() string                  { return "ready" }

// Code is why a request was refused.
type Code uint8

// The refusals of etcd (gRPC) and of the Kubernetes storage layer (HTTP).
const (
	// ErrCompacted: etcd "required revision has been compacted"; Kubernetes 410.
	ErrCompacted Code = iota + 1
	// ErrFutureRev: etcd "required revision is a future revision".
	ErrFutureRev
	// TooLargeResourceVersion: Kubernetes 504, cause ResourceVersionTooLarge.
	TooLargeResourceVersion
	// TooManyRequests: Kubernetes 429 with a retry-after.
	TooManyRequests
	// Unavailable: no server took the request, or it went away meanwhile; the
	// outcome of a write is unknown.
	Unavailable
	// BadRequest: Kubernetes 400; etcd invalid argument.
	BadRequest
	// Internal: something failed that neither etcd nor Kubernetes has a code for;
	// Kubernetes 500.
	Internal
	// NoLeader: etcd has no leader, and the client of a watch stream requires one;
	// Kubernetes 500.
	NoLeader
	// Unimplemented: the server does not know the method, or does not serve it for such a
	// request.
	Unimplemented
	// KeyExists: an object that is to be created is there; Kubernetes 409, AlreadyExists.
	KeyExists
	// KeyNotFound: an object that is to be changed or deleted is not there; Kubernetes 404.
	KeyNotFound
	// Conflict: an object has another resourceVersion than a write requires; Kubernetes 409.
	Conflict
	// Forbidden: the validation of a deletion did not allow it; Kubernetes 403.
	Forbidden
)

var codeTexts = [...]string{"", "compacted", "future revision", "too large resource version", "too many requests", "unavailable", "bad request", "internal error", "no leader", "unimplemented",
	"already exists", "not found", "conflict", "forbidden"}

func (c Code) String() string { return codeTexts[c] }

// Error is the answer to a request that was refused.
type Error struct {
	Code Code
	// Message says why in words, and names the option that was wrong.
	Message string
	// RetryAfter is the Retry-After of a 429 or 504, in seconds; 0 is none.
	RetryAfter int
	// Continue is the token with which the rest of a list can be had whose own token has
	// expired: it stands for the newest state, so that what came before is of another one.
	Continue string
	// ResourceVersion is that of the state in which there is no such object (KeyNotFound), 0 if
	// the error does not say. No client of an API server is told it: it is no part of the digest.
	ResourceVersion int64
}

// ConnectionRefused is what a client gets where nothing listens.
const ConnectionRefused = "connection refused"

// NothingListens reports whether p says that.
func NothingListens(p sim.Payload) bool {
	e, is := p.(*Error)
	return is && e.Code == Unavailable && e.Message == ConnectionRefused
}

// Status is the HTTP status that Kubernetes answers with this code.
func (c Code) Status() int { return statuses[c] }

var statuses = [...]int{
	ErrCompacted: 410, ErrFutureRev: 504, TooLargeResourceVersion: 504, TooManyRequests: 429,
	Unavailable: 503, BadRequest: 400, Internal: 500, NoLeader: 500,
	Unimplemented: 500,
	KeyExists:     409, KeyNotFound: 404, Conflict: 409, Forbidden: 403,
}

// Digest implements sim.Payload. It leaves RetryAfter out: errors that
// differ in RetryAfter also differ in Message. Nor is there Continue, which follows from
// the request.
func (e *Error) Digest(d sim.Digest) sim.Digest {
	return d.Text("error").Word(uint64(e.Code)).Text(e.Message)
}

func (e *Error) Label() string { return "error: " + e.Code.String() }
