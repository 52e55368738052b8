package recorded

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/watchbed/watchbed/conformance/realetcd"
)

// rest is how long nothing must come before the next step: more than two
// rounds of the server's sync loop.
const rest = 250 * time.Millisecond

// Play runs a script and returns the responses that came at each step. The
// server must have no other users.
func Play(ctx context.Context, server *realetcd.Server, script Script) ([][]Response, error) {
	conn, err := server.Dial()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	begin, err := empty(ctx, conn)
	if err != nil {
		return nil, err
	}
	stream, err := realetcd.OpenStream(ctx, conn)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	p := player{conn: conn, stream: stream, origin: begin, incoming: stream.Responses()}
	var seen [][]Response
	for _, step := range script.Steps {
		for _, a := range step {
			if err := p.do(ctx, a); err != nil {
				return nil, fmt.Errorf("script %s: %w", script.Name, err)
			}
		}
		responses, err := p.receive()
		if err != nil {
			return nil, fmt.Errorf("script %s: %w", script.Name, err)
		}
		seen = append(seen, responses)
	}
	return seen, nil
}

// empty removes every key and returns the revision of the empty store.
func empty(ctx context.Context, conn *grpc.ClientConn) (origin, error) {
	resp, err := pb.NewKVClient(conn).DeleteRange(ctx, &pb.DeleteRangeRequest{Key: []byte{0}, RangeEnd: []byte{0}})
	if err != nil {
		return 0, err
	}
	return origin(resp.Header.Revision), nil
}

type player struct {
	conn     *grpc.ClientConn
	stream   *realetcd.Stream
	origin   origin
	incoming <-chan *pb.WatchResponse
}

func (p *player) do(ctx context.Context, a Action) error {
	kv := pb.NewKVClient(p.conn)
	switch {
	case a.Put != nil:
		value := a.Put.Value
		if a.Put.Size > 0 {
			value = strings.Repeat("x", a.Put.Size)
		}
		_, err := kv.Put(ctx, &pb.PutRequest{Key: []byte(a.Put.Key), Value: []byte(value)})
		return err
	case a.Delete != nil:
		_, err := kv.DeleteRange(ctx, &pb.DeleteRangeRequest{Key: []byte(a.Delete.Key), RangeEnd: []byte(a.Delete.End)})
		return err
	case a.Compact != nil:
		_, err := kv.Compact(ctx, &pb.CompactionRequest{Revision: p.origin.toServer(a.Compact.Revision)})
		return err
	case a.Create != nil:
		return p.create(a.Create)
	case a.Cancel != nil:
		return p.stream.Cancel(a.Cancel.ID)
	case a.ProgressRequest:
		return p.stream.RequestProgress()
	default:
		return errors.New("an action without content")
	}
}

func (p *player) create(c *Create) error {
	req := &pb.WatchCreateRequest{
		Key:           []byte(c.Key),
		RangeEnd:      []byte(c.End),
		WatchId:       c.ID,
		StartRevision: p.origin.toServer(c.StartRevision),
		PrevKv:        c.PrevKV,
		Fragment:      c.Fragment,
	}
	for _, f := range c.Filters {
		filter, ok := pb.WatchCreateRequest_FilterType_value[strings.ToUpper(f)]
		if !ok {
			return fmt.Errorf("there is no filter %q", f)
		}
		req.Filters = append(req.Filters, pb.WatchCreateRequest_FilterType(filter))
	}
	return p.stream.Create(req)
}

// receive takes responses until none has come for a while.
func (p *player) receive() ([]Response, error) {
	responses := []Response{}
	for {
		select {
		case r, ok := <-p.incoming:
			if !ok {
				return nil, errors.New("the stream ended")
			}
			responses = append(responses, p.origin.response(r))
		case <-time.After(rest):
			return responses, nil
		}
	}
}
