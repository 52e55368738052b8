package shell

import (
	"context"
	"errors"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// StatusError is the refusal of a request, as the API server would word it.
type StatusError struct {
	Code    wire.Code
	Message string
	// RetryAfter says when to come back, 0 that nothing is known about that.
	RetryAfter time.Duration
	// Continue is where a list whose page was compacted can go on, in the newest state; empty
	// if it cannot.
	Continue string
}

func (e *StatusError) Error() string { return e.Message }

// HTTPStatus is the status that the API server would answer with: 400, 410, 429,
// 500, 503 or 504.
func (e *StatusError) HTTPStatus() int { return e.Code.Status() }

// Is reports whether target is a StatusError of the same code.
func (e *StatusError) Is(target error) bool {
	t, ok := target.(*StatusError)
	return ok && t.Code == e.Code
}

func statusError(e *wire.Error) *StatusError {
	text := e.Message
	if text == "" {
		text = e.Code.String()
	}
	return &StatusError{Code: e.Code, Message: text, RetryAfter: time.Duration(e.RetryAfter) * time.Second, Continue: e.Continue}
}

// ErrClosed is what every call returns once the cache is closed.
var ErrClosed = &StatusError{Code: wire.Unavailable, Message: "the cache is closed"}

// refusal is what clientv3's error is in the world.
func refusal(err error) *wire.Error {
	refused := &wire.Error{Code: wire.Internal, Message: err.Error()}
	switch {
	case errors.Is(err, rpctypes.ErrCompacted):
		refused.Code = wire.ErrCompacted
	case errors.Is(err, rpctypes.ErrFutureRev):
		refused.Code = wire.ErrFutureRev
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		refused.Code = wire.Unavailable
	default:
		refused.Code = codeOf(err)
	}
	return refused
}

func codeOf(err error) wire.Code {
	code := status.Code(err)
	var etcd rpctypes.EtcdError
	if errors.As(err, &etcd) {
		code = etcd.Code()
	}
	switch code {
	case codes.Unavailable, codes.Canceled, codes.DeadlineExceeded:
		return wire.Unavailable
	case codes.InvalidArgument:
		return wire.BadRequest
	case codes.ResourceExhausted:
		return wire.TooManyRequests
	default:
		return wire.Internal
	}
}

// outcome splits the last message of a call into answer and error.
func outcome[T sim.Payload](p sim.Payload) (T, error) {
	var none T
	switch p := p.(type) {
	case T:
		return p, nil
	case *wire.Error:
		return none, statusError(p)
	default:
		return none, ErrClosed
	}
}
