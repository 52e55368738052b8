package request

import "github.com/watchbed/watchbed/sim/wire"

// The refusals of v3rpc/key.go, of members that do not answer, and of the store.
var (
	ErrEmptyKey      = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: key is not provided"}
	ErrDuplicateKey  = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: duplicate key given in txn request"}
	ErrKeyNotFound   = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: key not found"}
	ErrValueProvided = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: value is provided"}
	ErrLeaseProvided = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: lease is provided"}
	ErrLeaseNotFound = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: requested lease not found"}
	ErrLeaseExists   = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: lease already exists"}
	ErrLeaseTooLong  = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: too large lease TTL"}
	ErrTooManyOps    = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: too many operations in txn request"}
	ErrTooLarge      = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: request is too large"}
	ErrDown          = &wire.Error{Code: wire.Unavailable, Message: "etcdserver: member is down"}
	ErrNoSuchMethod  = &wire.Error{Code: wire.Unimplemented, Message: "unknown method RangeStream for service etcdserverpb.KV"}
	ErrStreamOrder   = &wire.Error{Code: wire.Unimplemented, Message: "RangeStream does not support custom sort orders"}
	ErrStreamFilter  = &wire.Error{Code: wire.Unimplemented, Message: "RangeStream does not support revision filters"}
	ErrUnknown       = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: unknown request"}
	ErrCompacted     = &wire.Error{Code: wire.ErrCompacted, Message: "etcdserver: mvcc: required revision has been compacted"}
	ErrFutureRev     = &wire.Error{Code: wire.ErrFutureRev, Message: "etcdserver: mvcc: required revision is a future revision"}
)

// Refusal is the error of a revision that the store does not have.
func Refusal(c wire.Code) *wire.Error {
	if c == wire.ErrCompacted {
		return ErrCompacted
	}
	return ErrFutureRev
}
