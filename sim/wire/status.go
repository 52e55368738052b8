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
)

var codeTexts = [...]string{"", "compacted", "future revision", "too large resource version", "too many requests", "unavailable", "bad request", "internal error"}

func (c Code) String() string { return codeTexts[c] }

// Error is the answer to a request that was refused.
type Error struct {
	Code Code
	// Message says why in words.
	Message string
}

// Digest implements sim.Payload.
func (e *Error) Digest(d sim.Digest) sim.Digest {
	return d.Text("error").Word(uint64(e.Code)).Text(e.Message)
}

// Label implements sim.Payload.
func (e *Error) Label() string { return "error: " + e.Code.String() }
