package recorded

import (
	"fmt"
	"slices"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/watchbed/watchbed/model"
)

// RequestOf is a request of package etcdserverpb.
func RequestOf(request any) *model.Request {
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
	panic(fmt.Sprintf("%T is not recorded", request))
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
			all = append(all, *RequestOf(op.RequestPut))
		case *pb.RequestOp_RequestDeleteRange:
			all = append(all, *RequestOf(op.RequestDeleteRange))
		case *pb.RequestOp_RequestRange:
			all = append(all, *RequestOf(op.RequestRange))
		case *pb.RequestOp_RequestTxn:
			all = append(all, *RequestOf(op.RequestTxn))
		}
	}
	return all
}

// ResultOf is the answer to a request.
func ResultOf(response any) *model.Result {
	switch p := response.(type) {
	case *pb.PutResponse:
		return &model.Result{Revision: p.Header.GetRevision(), Prev: Items(p.PrevKv)}
	case *pb.DeleteRangeResponse:
		return &model.Result{Revision: p.Header.GetRevision(), Deleted: p.Deleted, Prev: Items(p.PrevKvs...)}
	case *pb.RangeResponse:
		return &model.Result{Revision: p.Header.GetRevision(), Items: Items(p.Kvs...), Count: p.Count, Counted: true, More: p.More}
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
				result = ResultOf(op.ResponsePut)
			case *pb.ResponseOp_ResponseDeleteRange:
				result = ResultOf(op.ResponseDeleteRange)
			case *pb.ResponseOp_ResponseRange:
				result = ResultOf(op.ResponseRange)
			case *pb.ResponseOp_ResponseTxn:
				result = ResultOf(op.ResponseTxn)
			}
			// All operations are of the revision of the transaction.
			result.Revision = 0
			r.Results = append(r.Results, *result)
		}
		return r
	}
	panic(fmt.Sprintf("%T is not recorded", response))
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

// Items are keys at their revisions.
func Items(kvs ...*mvccpb.KeyValue) (all []*model.Item) {
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

// ResponseOf is what a watch is sent.
func ResponseOf(p *pb.WatchResponse) model.WatchResponse {
	r := model.WatchResponse{
		Revision: p.Header.GetRevision(), Created: p.Created, Fragment: p.Fragment, Progress: IsProgress(p), Canceled: p.Canceled, CompactRevision: p.CompactRevision,
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

// WatchOf is a watch that was asked for.
func WatchOf(c *pb.WatchCreateRequest) *model.WatchStream {
	return &model.WatchStream{Request: model.WatchRequest{
		Key: string(c.Key), End: string(c.RangeEnd), StartRevision: c.StartRevision, PrevKV: c.PrevKv, ProgressNotify: c.ProgressNotify,
		NoPut: slices.Contains(c.Filters, pb.WatchCreateRequest_NOPUT), NoDelete: slices.Contains(c.Filters, pb.WatchCreateRequest_NODELETE),
	}}
}

// IsProgress reports whether a response is a progress notification.
func IsProgress(p *pb.WatchResponse) bool { return len(p.Events) == 0 && !p.Created && !p.Canceled }

// Describe says a response in a line.
func Describe(p *pb.WatchResponse) string {
	switch {
	case p.Created && p.Canceled:
		return fmt.Sprintf("watch %d is refused: %s", p.WatchId, p.CancelReason)
	case p.Created:
		return fmt.Sprintf("watch %d is created at revision %d", p.WatchId, p.Header.GetRevision())
	case p.Canceled:
		return fmt.Sprintf("watch %d is cancelled, compact revision %d: %s", p.WatchId, p.CompactRevision, p.CancelReason)
	case IsProgress(p):
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
