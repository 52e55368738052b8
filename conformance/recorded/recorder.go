package recorded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/model"
)

// Recorder records requests, answers and watches of clients of one server. Its one counter ticks at every call and
// return, so that no two of them have the same reading.
type Recorder struct {
	// Gets: a range of one key is a Get, as Kubernetes has it: with the object's revision and without that of the
	// store.
	Gets  bool
	clock atomic.Int64

	mu      sync.Mutex
	ops     []operation
	lives   map[string]int
	streams []*Stream
}

type operation struct {
	client string
	model.Operation
}

// Tick is a reading of the counter, for a call or a return that Do does not see.
func (r *Recorder) Tick() int64 { return r.clock.Add(1) }

// Add records an operation that Do did not send.
func (r *Recorder) Add(client string, op model.Operation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ops = append(r.ops, operation{client, op})
}

// Do sends a request of package etcdserverpb: a put, a deletion, a range or a transaction.
func (r *Recorder) Do(ctx context.Context, kv pb.KVClient, client string, request any) (response any, err error) {
	op := operation{r.living(client), model.Operation{Call: r.Tick(), Request: RequestOf(request), Return: math.MaxInt64}}
	switch request := request.(type) {
	case *pb.PutRequest:
		response, err = kv.Put(ctx, request)
	case *pb.DeleteRangeRequest:
		response, err = kv.DeleteRange(ctx, request)
	case *pb.RangeRequest:
		response, err = kv.Range(ctx, request)
	case *pb.TxnRequest:
		response, err = kv.Txn(ctx, request)
	}
	if !Settle(&op.Operation, r.Tick(), response, err) {
		return nil, err
	}
	if r.Gets && op.Request.Kind == model.List && op.Request.End == "" {
		op.Request.Kind = model.Get
		if op.Result != nil {
			op.Result.Revision = 0
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if op.Outcome == model.Unknown {
		// The operation stays open, and a client has one open at a time.
		if r.lives == nil {
			r.lives = map[string]int{}
		}
		r.lives[client]++
	}
	r.ops = append(r.ops, op)
	return response, err
}

// Settle writes down what became of an operation. It is false of a read without an answer, of which nothing is to be
// said.
func Settle(op *model.Operation, at int64, response any, err error) bool {
	switch refused := Refusal(err); {
	case err == nil:
		op.Return, op.Outcome, op.Result = at, model.Done, ResultOf(response)
		leaveOut(op.Request, op.Result)
	case refused != model.OK:
		op.Return, op.Outcome, op.Result = at, model.Failed, &model.Result{Err: refused}
	case op.Request.IsWrite():
		op.Outcome = model.Unknown
	default:
		return false
	}
	return true
}

// living is the name that a client has since its last request of unknown outcome.
func (r *Recorder) living(client string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if life := r.lives[client]; life > 0 {
		return fmt.Sprintf("%s-%d", client, life+1)
	}
	return client
}

// Refusal is the code of an error that says that the request had no effect, OK of any other.
func Refusal(err error) model.Code {
	switch {
	case err == nil:
		return model.OK
	case errors.Is(rpctypes.Error(err), rpctypes.ErrCompacted):
		return model.Compacted
	case errors.Is(rpctypes.Error(err), rpctypes.ErrFutureRev):
		return model.Future
	case status.Code(err) == codes.InvalidArgument:
		return model.Invalid
	}
	return model.OK
}

// History is all that was recorded since the store was as it says first. It is partial if the outcome of a write is
// unknown.
func (r *Recorder) History(initial model.Initial) *model.History {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.SortFunc(r.ops, func(a, b operation) int { return cmp.Compare(a.Call, b.Call) })
	h := &model.History{Initial: initial}
	index := map[string]int{}
	for _, op := range r.ops {
		i, known := index[op.client]
		if !known {
			i = len(h.Clients)
			index[op.client] = i
			h.Clients = append(h.Clients, op.client)
		}
		op.Client = i
		h.Operations = append(h.Operations, op.Operation)
		h.Partial = h.Partial || op.Outcome == model.Unknown
	}
	for _, s := range r.streams {
		for _, w := range s.recorded() {
			h.Watchers = append(h.Watchers, model.Watcher{Client: s.client, Streams: []model.WatchStream{w}})
		}
	}
	return h
}

// Transcript is that of the stream of a watch's client up to a response, and the one behind it. Each stream has a
// client.
func (r *Recorder) Transcript(client string, response int) []string {
	for _, s := range r.streams {
		if s.client == client {
			return s.Transcript(response)
		}
	}
	return nil
}
