package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/model"
)

// Recorder records requests, answers and watches of clients of one server. Its one counter ticks at every call and
// return, so that no two of them have the same reading.
type Recorder struct {
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

// Do sends a request of package etcdserverpb: a put, a deletion, a range or a transaction.
func (r *Recorder) Do(ctx context.Context, kv pb.KVClient, client string, request any) (response any, err error) {
	op := operation{r.living(client), model.Operation{Call: r.clock.Add(1), Request: requestOf(request), Return: math.MaxInt64}}
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
	if !settle(&op.Operation, r.clock.Add(1), response, err) {
		return nil, err
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

// settle writes down what became of an operation. It is false of a read without an answer, of which nothing is to be said.
func settle(op *model.Operation, at int64, response any, err error) bool {
	switch refused := refusal(err); {
	case err == nil:
		op.Return, op.Outcome, op.Result = at, model.Done, resultOf(response)
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

// refusal is the code of an error that says that the request had no effect, OK of any other.
func refusal(err error) model.Code {
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

// History is all that was recorded since the store was as it says first. A revision that no recorded write made is that
// of another client's, and elsewhere: the keys of a recorder are its own.
func (r *Recorder) History(initial model.Initial) *model.History {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.SortFunc(r.ops, func(a, b operation) int { return cmp.Compare(a.Call, b.Call) })
	h := &model.History{Initial: initial}
	index, newest, made := map[string]int{}, initial.Revision, map[int64]bool{}
	for _, op := range r.ops {
		i, known := index[op.client]
		if !known {
			i = len(h.Clients)
			index[op.client] = i
			h.Clients = append(h.Clients, op.client)
		}
		op.Client = i
		h.Operations = append(h.Operations, op.Operation)
		switch {
		case op.Outcome == model.Unknown:
			h.Partial = true
		case op.Outcome == model.Done:
			newest = max(newest, op.Result.Revision)
			if op.Request.IsWrite() && op.Request.Changed(op.Result) {
				made[op.Result.Revision] = true
			}
		}
	}
	for _, s := range r.streams {
		for _, w := range s.recorded() {
			h.Watchers = append(h.Watchers, model.Watcher{Client: s.client, Streams: []model.WatchStream{w}})
			for i := range w.Responses {
				newest = max(newest, w.Responses[i].Revision)
			}
		}
	}
	if h.Partial {
		return h
	}
	for revision := initial.Revision + 1; revision <= newest; revision++ {
		if !made[revision] {
			h.Clients = append(h.Clients, fmt.Sprint("another client ", revision))
			h.Operations = append(h.Operations, model.Operation{
				Client: len(h.Clients) - 1, Return: math.MaxInt64, Request: &model.Request{Kind: model.Put, Key: "elsewhere"}, Outcome: model.Unknown, Commit: revision,
			})
		}
	}
	slices.SortStableFunc(h.Operations, func(a, b model.Operation) int { return cmp.Compare(a.Call, b.Call) })
	return h
}

func requestOf(request any) *model.Request {
	switch p := request.(type) {
	case *pb.PutRequest:
		return &model.Request{
			Kind: model.Put, Key: string(p.Key), Value: string(p.Value), PrevKV: p.PrevKv, Lease: p.Lease, IgnoreValue: p.IgnoreValue, IgnoreLease: p.IgnoreLease,
		}
	case *pb.DeleteRangeRequest:
		return &model.Request{Kind: model.Delete, Key: string(p.Key), End: string(p.RangeEnd), PrevKV: p.PrevKv}
	case *pb.TxnRequest:
		r := &model.Request{Kind: model.Txn, Success: branch(p.Success), Failure: branch(p.Failure)}
		for _, c := range p.Compare {
			r.Compare = append(r.Compare, model.Compare{
				Key: string(c.Key), End: string(c.RangeEnd), Target: targets[c.Target], Op: relations[c.Result],
				// At most one of them is set.
				Operand: c.GetVersion() + c.GetCreateRevision() + c.GetModRevision() + c.GetLease(), Value: string(c.GetValue()),
			})
		}
		return r
	case *pb.CompactionRequest:
		return &model.Request{Kind: model.Compact, Revision: p.Revision}
	case *pb.LeaseRevokeRequest:
		return &model.Request{Kind: model.LeaseRevoke, Lease: p.ID}
	case *pb.RangeRequest:
		r := &model.Request{
			Kind: model.List, Key: string(p.Key), End: string(p.RangeEnd), Limit: p.Limit, CountOnly: p.CountOnly, KeysOnly: p.KeysOnly,
			Selection: model.Selection{MinMod: p.MinModRevision, MaxMod: p.MaxModRevision, MinCreate: p.MinCreateRevision, MaxCreate: p.MaxCreateRevision},
		}
		if p.SortOrder != pb.RangeRequest_NONE || p.SortTarget != pb.RangeRequest_KEY {
			r.Selection.SortBy, r.Selection.Descending = sorts[p.SortTarget], p.SortOrder == pb.RangeRequest_DESCEND
		}
		switch {
		case p.Revision > 0:
			r.Freshness, r.Revision = model.Exact, p.Revision
		case p.Serializable:
			r.Freshness = model.Any
		}
		return r
	}
	panic(fmt.Sprintf("conform: %T is not recorded", request))
}

var (
	targets = map[pb.Compare_CompareTarget]model.CompareTarget{
		pb.Compare_MOD: model.CompareMod, pb.Compare_VERSION: model.CompareVersion, pb.Compare_CREATE: model.CompareCreate,
		pb.Compare_VALUE: model.CompareValue, pb.Compare_LEASE: model.CompareLease,
	}
	sorts = map[pb.RangeRequest_SortTarget]model.SortTarget{
		pb.RangeRequest_KEY: model.ByKey, pb.RangeRequest_VERSION: model.ByVersion, pb.RangeRequest_CREATE: model.ByCreate, pb.RangeRequest_MOD: model.ByMod, pb.RangeRequest_VALUE: model.ByValue,
	}
	relations = map[pb.Compare_CompareResult]model.CompareOp{
		pb.Compare_EQUAL: model.Equal, pb.Compare_NOT_EQUAL: model.NotEqual, pb.Compare_GREATER: model.Greater, pb.Compare_LESS: model.Less,
	}
)

func branch(ops []*pb.RequestOp) (all []model.Request) {
	for _, op := range ops {
		switch op := op.Request.(type) {
		case *pb.RequestOp_RequestPut:
			all = append(all, *requestOf(op.RequestPut))
		case *pb.RequestOp_RequestDeleteRange:
			all = append(all, *requestOf(op.RequestDeleteRange))
		case *pb.RequestOp_RequestRange:
			all = append(all, *requestOf(op.RequestRange))
		case *pb.RequestOp_RequestTxn:
			all = append(all, *requestOf(op.RequestTxn))
		}
	}
	return all
}

func resultOf(response any) *model.Result {
	switch p := response.(type) {
	case *pb.PutResponse:
		return &model.Result{Revision: p.Header.GetRevision(), Prev: items(p.PrevKv)}
	case *pb.DeleteRangeResponse:
		return &model.Result{Revision: p.Header.GetRevision(), Deleted: p.Deleted, Prev: items(p.PrevKvs...)}
	case *pb.RangeResponse:
		return &model.Result{Revision: p.Header.GetRevision(), Items: items(p.Kvs...), Count: p.Count, Counted: true, More: p.More}
	case *pb.CompactionResponse:
		return &model.Result{Revision: p.Header.GetRevision()}
	case *pb.LeaseRevokeResponse:
		return &model.Result{Revision: p.Header.GetRevision()}
	case *pb.TxnResponse:
		r := &model.Result{Revision: p.Header.GetRevision(), Succeeded: p.Succeeded}
		for _, op := range p.Responses {
			var result *model.Result
			switch op := op.Response.(type) {
			case *pb.ResponseOp_ResponsePut:
				result = resultOf(op.ResponsePut)
			case *pb.ResponseOp_ResponseDeleteRange:
				result = resultOf(op.ResponseDeleteRange)
			case *pb.ResponseOp_ResponseRange:
				result = resultOf(op.ResponseRange)
			case *pb.ResponseOp_ResponseTxn:
				result = resultOf(op.ResponseTxn)
			}
			// All operations are of the revision of the transaction.
			result.Revision = 0
			r.Results = append(r.Results, *result)
		}
		return r
	}
	panic(fmt.Sprintf("conform: %T is not recorded", response))
}

// leaveOut takes previous items out of an answer that did not ask for them: they do no harm.
func leaveOut(r *model.Request, result *model.Result) {
	if !r.PrevKV {
		result.Prev = nil
	}
	branch := r.Branch(result.Succeeded)
	for i := range min(len(branch), len(result.Results)) {
		leaveOut(&branch[i], &result.Results[i])
	}
}

func items(kvs ...*mvccpb.KeyValue) (all []*model.Item) {
	for _, kv := range kvs {
		if kv != nil {
			all = append(all, item(kv))
		}
	}
	return all
}

func item(kv *mvccpb.KeyValue) *model.Item {
	return &model.Item{
		Key: string(kv.Key), Value: string(kv.Value), CreateRevision: kv.CreateRevision, ModRevision: kv.ModRevision, Version: kv.Version, Lease: kv.Lease,
	}
}

// Stream is one watch stream, over plain gRPC: what the server sends is what is recorded. clientv3 would merge
// streams, resume watches, and hide progress responses.
type Stream struct {
	client string
	grpc   pb.Watch_WatchClient
	cancel context.CancelFunc
	// come has the responses that Next has not returned yet.
	come chan *pb.WatchResponse

	mu    sync.Mutex
	all   []*model.WatchStream
	by    watches[*model.WatchStream]
	lines []string
	err   error
}

// ended is the error with which the stream has ended, nil if it goes on.
func (s *Stream) ended() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// watches are those of a stream: asked are the create requests that were not answered yet, in their order, in which
// they are answered; live are the watches by their ids.
type watches[W any] struct {
	asked []W
	live  map[int64]W
}

// of are the watches that a response is for: one with no watch's id is for all of the stream.
func (w *watches[W]) of(p *pb.WatchResponse) (all []W) {
	if p.Created && len(w.asked) > 0 {
		if w.live == nil {
			w.live = map[int64]W{}
		}
		w.live[p.WatchId], w.asked = w.asked[0], w.asked[1:]
	}
	for _, id := range slices.Sorted(maps.Keys(w.live)) {
		if id == p.WatchId || p.WatchId == allWatches && !p.Created {
			all = append(all, w.live[id])
		}
	}
	if p.Canceled {
		delete(w.live, p.WatchId)
	}
	return all
}

// Watch opens a stream. The caller must Close it. Nothing is received before a channel is closed, if there is one.
func (r *Recorder) Watch(ctx context.Context, watch pb.WatchClient, client string, hold <-chan struct{}) (*Stream, error) {
	ctx, cancel := context.WithCancel(ctx)
	g, err := watch.Watch(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	s := &Stream{client: client, grpc: g, cancel: cancel, come: make(chan *pb.WatchResponse, 1024)}
	r.mu.Lock()
	r.streams = append(r.streams, s)
	r.mu.Unlock()
	go s.receive(hold)
	return s, nil
}

func (s *Stream) receive(hold <-chan struct{}) {
	defer close(s.come)
	if hold != nil {
		select {
		case <-hold:
		case <-s.grpc.Context().Done():
		}
	}
	for {
		p, err := s.grpc.Recv()
		if err != nil {
			s.mu.Lock()
			s.err = err
			s.mu.Unlock()
			return
		}
		s.take(p)
		select {
		case s.come <- p:
		case <-s.grpc.Context().Done():
			return
		}
	}
}

// take records a response.
func (s *Stream) take(p *pb.WatchResponse) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, "<- "+describe(p))
	for _, w := range s.by.of(p) {
		w.Responses = append(w.Responses, responseOf(p))
	}
}

// allWatches is the id of a progress response for all watches of a stream.
const allWatches = -1

func responseOf(p *pb.WatchResponse) model.WatchResponse {
	r := model.WatchResponse{
		Revision: p.Header.GetRevision(), Created: p.Created, Fragment: p.Fragment, Progress: isProgress(p), Canceled: p.Canceled, CompactRevision: p.CompactRevision,
	}
	for _, e := range p.Events {
		event := model.WatchEvent{Item: item(e.Kv), Revision: e.Kv.ModRevision}
		if e.Type == mvccpb.DELETE {
			event.Type = model.DeleteEvent
		}
		if e.PrevKv != nil {
			event.PrevItem = item(e.PrevKv)
		}
		r.Events = append(r.Events, event)
	}
	return r
}

func watchOf(c *pb.WatchCreateRequest) *model.WatchStream {
	return &model.WatchStream{Request: model.WatchRequest{
		Key: string(c.Key), End: string(c.RangeEnd), StartRevision: c.StartRevision, PrevKV: c.PrevKv, ProgressNotify: c.ProgressNotify,
		NoPut: slices.Contains(c.Filters, pb.WatchCreateRequest_NOPUT), NoDelete: slices.Contains(c.Filters, pb.WatchCreateRequest_NODELETE),
	}}
}

func isProgress(p *pb.WatchResponse) bool { return len(p.Events) == 0 && !p.Created && !p.Canceled }

func describe(p *pb.WatchResponse) string {
	switch {
	case p.Created && p.Canceled:
		return fmt.Sprintf("watch %d is refused: %s", p.WatchId, p.CancelReason)
	case p.Created:
		return fmt.Sprintf("watch %d is created at revision %d", p.WatchId, p.Header.GetRevision())
	case p.Canceled:
		return fmt.Sprintf("watch %d is cancelled, compact revision %d: %s", p.WatchId, p.CompactRevision, p.CancelReason)
	case isProgress(p):
		return fmt.Sprintf("progress %d of watch %d", p.Header.GetRevision(), p.WatchId)
	}
	text := fmt.Sprintf("watch %d:", p.WatchId)
	for i, e := range p.Events {
		if i == few {
			return text + fmt.Sprintf(" and %d more up to revision %d", len(p.Events)-few, p.Events[len(p.Events)-1].Kv.ModRevision)
		}
		text += fmt.Sprintf(" %v %s@%d", e.Type, e.Kv.Key, e.Kv.ModRevision)
	}
	return text
}

// few events of a response are named.
const few = 4

func (s *Stream) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, "-> "+fmt.Sprintf(format, args...))
}

// Create asks for a watch.
func (s *Stream) Create(c *pb.WatchCreateRequest) error {
	s.say("watch [%s, %s) from revision %d", c.Key, c.RangeEnd, c.StartRevision)
	w := watchOf(c)
	s.mu.Lock()
	s.by.asked, s.all = append(s.by.asked, w), append(s.all, w)
	s.mu.Unlock()
	return s.grpc.Send(&pb.WatchRequest{RequestUnion: &pb.WatchRequest_CreateRequest{CreateRequest: c}})
}

// Cancel asks for the end of a watch.
func (s *Stream) Cancel(id int64) error {
	s.say("cancel watch %d", id)
	return s.grpc.Send(&pb.WatchRequest{RequestUnion: &pb.WatchRequest_CancelRequest{CancelRequest: &pb.WatchCancelRequest{WatchId: id}}})
}

// RequestProgress asks how far the stream as a whole has got.
func (s *Stream) RequestProgress() error {
	s.say("progress request")
	return s.grpc.Send(&pb.WatchRequest{RequestUnion: &pb.WatchRequest_ProgressRequest{ProgressRequest: &pb.WatchProgressRequest{}}})
}

// Next is the next response, nil if there is none until the context is done or the stream has ended.
func (s *Stream) Next(ctx context.Context) *pb.WatchResponse {
	select {
	case p := <-s.come:
		return p
	case <-ctx.Done():
		return nil
	}
}

// Transcript is what was sent and received up to a response of the stream, and the response behind it, a line each.
func (s *Stream) Transcript(response int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, line := range s.lines {
		if strings.HasPrefix(line, "<-") {
			if response--; response < -1 {
				return slices.Clone(s.lines[:i+1])
			}
		}
	}
	return slices.Clone(s.lines)
}

// recorded are the watches so far.
func (s *Stream) recorded() []model.WatchStream {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []model.WatchStream
	for _, w := range s.all {
		r := model.WatchStream{Request: w.Request, Responses: slices.Clone(w.Responses)}
		if registeredLate(&r) {
			r.Request.PrevKV = false
			for i := range r.Responses {
				r.Responses[i].Events = slices.Clone(r.Responses[i].Events)
				for k := range r.Responses[i].Events {
					r.Responses[i].Events[k].PrevItem = nil
				}
			}
		}
		all = append(all, r)
	}
	return all
}

// registeredLate reports whether the first events of a watch have no previous values, and later ones do: every release
// of etcd stores that they are wanted when the watch is registered already. They are not judged then.
func registeredLate(w *model.WatchStream) bool {
	first := slices.IndexFunc(w.Responses, func(r model.WatchResponse) bool { return len(r.Events) > 0 })
	has := func(r model.WatchResponse) bool {
		return slices.ContainsFunc(r.Events, func(e model.WatchEvent) bool { return e.PrevItem != nil })
	}
	return w.Request.PrevKV && first >= 0 && !has(w.Responses[first]) && slices.ContainsFunc(w.Responses[first:], has)
}

// Close ends the stream.
func (s *Stream) Close() { s.cancel() }
