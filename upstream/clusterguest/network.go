//go:build wasip1

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"

	"go.etcd.io/etcd/pkg/v3/wait"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.etcd.io/etcd/server/v3/etcdserver/api/rafthttp"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// network is what is between this member and the others.
type network struct {
	transport *rafthttp.Transport
	// last is the number of the newest call or snapshot.
	last uint32
	// requests wait for responses of other members, snapshots for what became of them.
	requests  map[uint32]chan peerResponse
	snapshots map[uint32]chan bool
	out       protocol.Writer
}

type peerResponse struct {
	response *http.Response
	err      error
}

var _ rafthttp.WatchbedNetwork = (*network)(nil)

func newNetwork() *network {
	return &network{requests: map[uint32]chan peerResponse{}, snapshots: map[uint32]chan bool{}}
}

// install has package rafthttp use the network.
func (n *network) install() { rafthttp.Watchbed = n }

// tellRequests has the host know of the requests that are proposed and applied.
func tellRequests() {
	etcdserver.WatchbedProposed = func(ctx context.Context, id uint64, revoked int64) {
		conn, _ := ctx.Value(etcdserver.WatchbedCall{}).(uint32)
		protocol.Send(new(protocol.Writer).Begin(protocol.Proposed, conn).Int(int64(id)).Int(revoked))
	}
	wait.WatchbedApplied = func(id uint64, result any) {
		if err, is := errorOf(result); is {
			protocol.Send(new(protocol.Writer).Begin(protocol.Applied, 0).Int(int64(id)).Bool(err.IsNil()))
		}
	}
}

// errorOf is the error of what a member has applied. Its type has another name, and another package, in releases of
// 3.5.
func errorOf(result any) (err reflect.Value, is bool) {
	v := reflect.ValueOf(result)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return v, false
	}
	if err = v.Elem().FieldByName("Err"); !err.IsValid() {
		err = v.Elem().FieldByName("err")
	}
	return err, err.IsValid() && err.Kind() == reflect.Interface
}

// Started implements rafthttp.WatchbedNetwork.
func (n *network) Started(t *rafthttp.Transport) { n.transport = t }

func (n *network) number() uint32 {
	n.last++
	return n.last
}

// receive takes a message of the host that is about other members.
func (n *network) receive(kind protocol.Kind, conn uint32, r *protocol.Reader, listens bool) {
	switch kind {
	case protocol.Raft:
		if from, _, m := uint64(r.Int()), r.Byte(), r.Text(); listens {
			n.transport.WatchbedReceive(from, []byte(m))
		}
	case protocol.RaftSnapshot:
		from, m, database := uint64(r.Int()), []byte(r.Text()), []byte(r.Text())
		if !listens {
			n.took(conn, false)
			return
		}
		n.transport.WatchbedReceiveSnapshot(from, m, bytes.NewReader(database), func(ok bool) { n.took(conn, ok) })
	case protocol.SnapshotSent:
		if c, waits := n.snapshots[conn]; waits {
			delete(n.snapshots, conn)
			c <- r.Bool()
		}
	case protocol.PeerResponse:
		status, header := int(r.Int()), readHeader(r)
		body := []byte(r.Text())
		n.answered(conn, peerResponse{response: &http.Response{
			Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: header, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
		}})
	case protocol.Failed:
		r.Byte()
		n.answered(conn, peerResponse{err: errors.New(r.Text())})
	case protocol.Unreachable:
		rafthttp.WatchbedBroken(uint64(r.Int()), true)
	case protocol.Reachable:
		rafthttp.WatchbedBroken(uint64(r.Int()), false)
	case protocol.Gone:
		if listens {
			n.transport.WatchbedRemoved()
		}
	}
}

func (n *network) answered(conn uint32, p peerResponse) {
	if c, waits := n.requests[conn]; waits {
		delete(n.requests, conn)
		c <- p
	}
}

// took says whether a snapshot has been taken.
func (n *network) took(conn uint32, ok bool) {
	protocol.Send(new(protocol.Writer).Begin(protocol.SnapshotSent, conn).Bool(ok))
}

// Send implements rafthttp.WatchbedNetwork.
func (n *network) Send(m rafthttp.WatchbedMessage, marshalled []byte) {
	lane := protocol.LaneMessage
	if m.App {
		lane = protocol.LaneAppend
	}
	n.out.Begin(protocol.Raft, 0).Int(int64(m.To)).Byte(lane).Int(int64(m.Type)).Int(int64(m.Term)).Int(int64(m.Index)).Int(int64(m.Entries)).
		Int(int64(m.Commit)).Bool(m.Reject).Text(string(marshalled))
	protocol.Send(&n.out)
}

// SendSnapshot implements rafthttp.WatchbedNetwork.
func (n *network) SendSnapshot(m rafthttp.WatchbedMessage, marshalled, database []byte) <-chan bool {
	ticket, arrived := n.number(), make(chan bool, 1)
	n.snapshots[ticket] = arrived
	var out protocol.Writer
	protocol.Send(out.Begin(protocol.RaftSnapshot, ticket).Int(int64(m.To)).Int(int64(m.Term)).Int(int64(m.Snapshot)).
		Text(string(marshalled)).Text(string(database)))
	return arrived
}

// Located implements rafthttp.WatchbedNetwork.
func (n *network) Located(id uint64, urls []string) {
	protocol.Send(writeTexts(new(protocol.Writer).Begin(protocol.Located, 0).Int(int64(id)), urls))
}

// Gone implements rafthttp.WatchbedNetwork.
func (n *network) Gone(id uint64) {
	n.out.Begin(protocol.Gone, 0).Int(int64(id))
	protocol.Send(&n.out)
}

// RoundTrip implements http.RoundTripper.
func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		body, err = io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	conn, come := n.number(), make(chan peerResponse, 1)
	n.requests[conn] = come
	var out protocol.Writer
	out.Begin(protocol.PeerRequest, conn).Text(r.URL.Host).Text(r.Method).Text(r.URL.RequestURI()).Text(string(body))
	writeHeader(&out, r.Header)
	protocol.Send(&out)
	select {
	case p := <-come:
		if p.err != nil {
			return nil, p.err
		}
		p.response.Request = r
		return p.response, nil
	case <-r.Context().Done():
		delete(n.requests, conn)
		protocol.Send(out.Begin(protocol.CloseStream, conn))
		return nil, r.Context().Err()
	}
}
