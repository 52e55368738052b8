package wire

import "github.com/watchbed/watchbed/sim"

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
