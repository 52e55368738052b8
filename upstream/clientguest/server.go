//go:build wasip1

package main

import (
	"context"
	"io"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// server is the process: it carries out what clients ask of its key-value store.
type server struct {
	etcd *etcd
	kv   clientv3.KV
	// made is closed when kv is there.
	made chan struct{}
}

// receive takes a message of the host.
func (s *server) receive(r protocol.Reader) {
	switch kind, conn := r.Begin(); kind {
	case protocol.Start:
		protocol.Seed(uint64(r.Int()))
		go s.make()
	case protocol.Do:
		op := readOp(&r)
		go s.serve(conn, op)
	case protocol.Did:
		s.etcd.answered(conn, answer{did: readDid(&r)})
	case protocol.Leased:
		s.etcd.leased(conn, leased{revision: r.Int(), id: r.Int(), ttl: r.Int()})
	case protocol.Refused:
		s.etcd.failed(conn, readError(&r))
	case protocol.WatchResponse:
		if stream := s.etcd.watches[conn]; stream != nil {
			stream.deliver(readWatchResponse(&r))
		}
	case protocol.Hangup:
		s.hangup(conn, r.Bool())
	}
}

// hangup takes the end of a connection to etcd.
func (s *server) hangup(conn uint32, broken bool) {
	lost := status.Error(codes.Unavailable, "the connection broke")
	s.etcd.failed(conn, lost)
	if stream := s.etcd.watches[conn]; stream != nil {
		delete(s.etcd.watches, conn)
		if broken {
			stream.end(lost)
		} else {
			stream.end(io.EOF)
		}
	}
}

// make makes a client of etcd as clientv3.New does, but for the connection, and of that the user's store.
func (s *server) make() {
	client := clientv3.NewCtxClient(context.Background())
	client.KV = clientv3.NewKVFromKVClient(s.etcd, client)
	client.Watcher = clientv3.NewWatchFromWatchClient(s.etcd, client)
	// As clientv3.NewLease has it of a configuration without a DialTimeout.
	client.Lease = clientv3.NewLeaseFromLeaseClient(s.etcd, client, time.Second)
	kv, err := newKV(client)
	if err != nil {
		panic(err)
	}
	s.kv = kv
	close(s.made)
}

// serve carries out an operation, and answers.
func (s *server) serve(conn uint32, op clientv3.Op) {
	<-s.made
	did, err := s.carryOut(op)
	var out protocol.Writer
	if err != nil {
		writeError(out.Begin(protocol.Failed, conn), err)
	} else {
		writeDid(out.Begin(protocol.Did, conn), op, did)
	}
	protocol.Send(&out)
}

// carryOut has the store carry out an operation by the method that programs call for it. The context is never
// cancelled: a client does not give up.
func (s *server) carryOut(op clientv3.Op) (clientv3.OpResponse, error) {
	ctx, key := context.Background(), string(op.KeyBytes())
	switch {
	case op.IsGet():
		r, err := s.kv.Get(ctx, key)
		return r.OpResponse(), err
	case op.IsPut():
		r, err := s.kv.Put(ctx, key, string(op.ValueBytes()))
		return r.OpResponse(), err
	}
	r, err := s.kv.Delete(ctx, key)
	return r.OpResponse(), err
}
