//go:build wasip1

package main

import (
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// ofMessages are the codes of errors that have one of their own.
var ofMessages = map[string]byte{
	rpctypes.ErrorDesc(rpctypes.ErrGRPCCompacted):              protocol.ErrCompacted,
	rpctypes.ErrorDesc(rpctypes.ErrGRPCFutureRev):              protocol.ErrFutureRev,
	rpctypes.ErrorDesc(rpctypes.ErrGRPCNoLeader):               protocol.NoLeader,
	rpctypes.ErrorDesc(rpctypes.ErrGRPCRequestTooManyRequests): protocol.TooManyRequests,
}

// describe is what a client is told of an error. A write that is not refused for certain may have happened.
func describe(err error) (code byte, message string) {
	message = rpctypes.ErrorDesc(err)
	if code, there := ofMessages[message]; there {
		return code, message
	}
	switch status.Code(err) {
	case codes.InvalidArgument, codes.NotFound, codes.FailedPrecondition, codes.OutOfRange, codes.AlreadyExists, codes.PermissionDenied, codes.Unauthenticated,
		codes.ResourceExhausted:
		return protocol.BadRequest, message
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled:
		return protocol.Unavailable, message
	case codes.Unimplemented:
		return protocol.Unimplemented, message
	}
	return protocol.Internal, message
}
