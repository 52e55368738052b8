//go:build wasip1

package main

import (
	"context"

	"google.golang.org/grpc"

	"github.com/watchbed/watchbed/upstream/protocol"
	"github.com/watchbed/watchbed/upstream/protocol/host"
)

// operation calls a service, and has what writes its response.
type operation func(ctx context.Context, m *member) (func(*protocol.Writer), error)

// do carries out what a client asks for, in a goroutine of its own, as gRPC does it.
func (m *member) do(conn uint32, r *protocol.Reader) {
	op := r.Byte()
	call := readOperation(op, r)
	if !m.listens {
		failed(conn, protocol.Unavailable, "connection refused")
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	m.calls[conn] = cancel
	go func() {
		write, err := call(ctx, m)
		if m.calls[conn] == nil {
			// The client is gone.
			return
		}
		delete(m.calls, conn)
		cancel()
		if err != nil {
			code, message := describe(err)
			failed(conn, code, message)
			return
		}
		var out protocol.Writer
		write(out.Begin(protocol.Did, conn).Byte(op))
		host.Send(&out)
	}()
}

func failed(conn uint32, code byte, message string) {
	host.Send(new(protocol.Writer).Begin(protocol.Failed, conn).Byte(code).Text(message))
}

// unary is the operation that a method of a service carries out.
func unary[Request, Response any](r Request, method func(*member, context.Context, Request) (Response, error), write func(*protocol.Writer, Response)) operation {
	return func(ctx context.Context, m *member) (func(*protocol.Writer), error) {
		p, err := m.unary(ctx, r, &grpc.UnaryServerInfo{}, func(ctx context.Context, r any) (any, error) {
			return method(m, ctx, r.(Request))
		})
		if err != nil {
			return nil, err
		}
		return func(w *protocol.Writer) { write(w, p.(Response)) }, nil
	}
}

// readOperation reads what is behind the byte that says which one it is.
func readOperation(op byte, r *protocol.Reader) operation {
	switch op {
	case protocol.OpRange:
		return unary(readRange(r), (*member).doRange, writeRanged)
	case protocol.OpPut:
		return unary(readPut(r), (*member).doPut, writePutDone)
	case protocol.OpDeleteRange:
		return unary(readDeleteRange(r), (*member).doDeleteRange, writeDeleted)
	case protocol.OpTxn:
		return unary(readTxn(r), (*member).doTxn, writeTxned)
	case protocol.OpCompact:
		return compact(r)
	case protocol.OpGrant:
		return grant(r)
	case protocol.OpRevoke:
		return revoke(r)
	case protocol.OpKeepAlive:
		return keepAlive(r)
	case protocol.OpTimeToLive:
		return timeToLive(r)
	case protocol.OpStatus:
		return statusOf()
	case protocol.OpHashKV:
		return hashKV(r)
	case protocol.OpMoveLeader:
		return moveLeader(r)
	case protocol.OpDefragment:
		return defragment()
	case protocol.OpAlarm:
		return alarm(r)
	case protocol.OpMemberList:
		return memberList(r)
	case protocol.OpMemberAdd:
		return memberAdd(r)
	case protocol.OpMemberRemove:
		return memberRemove(r)
	case protocol.OpMemberPromote:
		return memberPromote(r)
	default:
		return downgrade(r)
	}
}
