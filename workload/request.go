package workload

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Request is a request in the words of histories. It panics on a payload that is no
// request.
func Request(p sim.Payload) *model.Request {
	switch p := p.(type) {
	case *wire.PutRequest:
		r := put(p)
		return &r
	case *wire.DeleteRangeRequest:
		r := remove(p)
		return &r
	case *wire.CompactionRequest:
		return &model.Request{Kind: model.Compact, Revision: p.Revision}
	case *wire.TxnRequest:
		r := txn(p)
		return &r
	case *wire.RangeRequest:
		r := rangeRequest(p)
		return &r
	case *wire.LeaseGrantRequest:
		return &model.Request{Kind: model.LeaseGrant, Lease: p.ID, TTL: p.TTL}
	case *wire.LeaseRevokeRequest:
		return &model.Request{Kind: model.LeaseRevoke, Lease: p.ID}
	case *wire.LeaseKeepAliveRequest:
		return &model.Request{Kind: model.LeaseKeepAlive, Lease: p.ID}
	case *wire.LeaseTimeToLiveRequest:
		return &model.Request{Kind: model.LeaseTimeToLive, Lease: p.ID, Keys: p.Keys}
	case *wire.ListRequest:
		return listRequest(p)
	case *wire.GetRequest:
		r := &model.Request{Kind: model.Get, Key: p.Key}
		r.Freshness, r.Revision = freshness(p.ResourceVersion, wire.MatchUnset)
		return r
	}
	if r := requestOfWrite(p); r != nil {
		return r
	}
	panic(fmt.Sprintf("workload: %T is no request", p))
}

var (
	compareTargets = [...]model.CompareTarget{
		wire.CompareMod: model.CompareMod, wire.CompareVersion: model.CompareVersion,
		wire.CompareCreate: model.CompareCreate, wire.CompareValue: model.CompareValue,
		wire.CompareLease: model.CompareLease,
	}
	sortTargets = [...]model.SortTarget{
		wire.SortByKey: model.ByKey, wire.SortByVersion: model.ByVersion, wire.SortByCreate: model.ByCreate,
		wire.SortByMod: model.ByMod, wire.SortByValue: model.ByValue,
	}
	compareOps = [...]model.CompareOp{
		wire.CompareEqual: model.Equal, wire.CompareNotEqual: model.NotEqual,
		wire.CompareGreater: model.Greater, wire.CompareLess: model.Less,
	}
)

func branch(ops []wire.RequestOp) []model.Request {
	if len(ops) == 0 {
		return nil
	}
	out := make([]model.Request, len(ops))
	for i := range ops {
		switch op := &ops[i]; {
		case op.Put != nil:
			out[i] = put(op.Put)
		case op.DeleteRange != nil:
			out[i] = remove(op.DeleteRange)
		case op.Txn != nil:
			out[i] = txn(op.Txn)
		default:
			out[i] = rangeRequest(op.Range)
		}
	}
	return out
}

func txn(p *wire.TxnRequest) model.Request {
	r := model.Request{Kind: model.Txn, Success: branch(p.Success), Failure: branch(p.Failure)}
	for _, c := range p.Compare {
		r.Compare = append(r.Compare, model.Compare{
			Key: c.Key, End: c.RangeEnd, Target: compareTargets[c.Target], Op: compareOps[c.Result], Operand: c.Operand, Value: c.Value,
		})
	}
	return r
}

func put(p *wire.PutRequest) model.Request {
	return model.Request{Kind: model.Put, Key: p.Key, Value: p.Value, PrevKV: p.PrevKv, IgnoreValue: p.IgnoreValue, Lease: p.Lease, IgnoreLease: p.IgnoreLease}
}

func remove(p *wire.DeleteRangeRequest) model.Request {
	return model.Request{Kind: model.Delete, Key: p.Key, End: p.RangeEnd, PrevKV: p.PrevKv}
}

func rangeRequest(p *wire.RangeRequest) model.Request {
	r := model.Request{
		Kind: model.List, Key: p.Key, End: p.RangeEnd,
		Limit: p.Limit, CountOnly: p.CountOnly, KeysOnly: p.KeysOnly,
		Selection: model.Selection{
			MinMod: p.MinModRevision, MaxMod: p.MaxModRevision, MinCreate: p.MinCreateRevision, MaxCreate: p.MaxCreateRevision,
		},
	}
	if p.SortOrder != wire.SortNone {
		r.Selection.SortBy, r.Selection.Descending = sortTargets[p.SortTarget], p.SortOrder == wire.SortDescend
	}
	switch {
	case p.Revision > 0:
		r.Freshness, r.Revision = model.Exact, p.Revision
	case p.Serializable:
		r.Freshness = model.Any
	}
	return r
}

func listRequest(p *wire.ListRequest) *model.Request {
	r := &model.Request{Kind: model.List, Key: p.Prefix, Limit: p.Limit, KeysOnly: p.KeysOnly}
	if !p.Single {
		// It means the keys below the prefix, not all keys that begin with it.
		r.Key = strings.TrimSuffix(p.Prefix, "/") + "/"
		r.End = model.PrefixEnd(r.Key)
	}
	r.Selection.Values = Values(p.Selector)
	// A cache that looks into its index sees no other objects than those of the index.
	_, byIndex := p.Selector.RequiresExactMatch(IndexedField)
	r.Selection.MoreOfAll = !p.Selector.Empty() && !byIndex
	r.Freshness, r.Revision = freshness(p.ResourceVersion, p.Match)
	return r
}

func freshness(rv int64, m wire.ResourceVersionMatch) (model.Freshness, int64) {
	switch {
	case rv == wire.Unset, m == wire.MatchMostRecent:
		return model.Consistent, 0
	case rv == 0:
		return model.Any, 0
	case m == wire.MatchExact:
		return model.Exact, rv
	}
	return model.NotOlderThan, rv
}
