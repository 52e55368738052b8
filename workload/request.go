package workload

import (
	"fmt"
	"slices"
	"strconv"
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
	case *wire.RangeStreamRequest:
		r := rangeRequest(p.Range)
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

// turnPage plans the request for the next page, if there is one. The client passes
// the token on and does not look inside. In the history a later page is an exact
// read at the first page's resourceVersion: pagination promises that.
func (c *Client) turnPage(p sim.Payload) {
	if refused, ok := p.(*wire.Error); ok {
		c.askRest(refused)
		return
	}
	list, ok := p.(*wire.ListResponse)
	if !ok || list.Continue == "" || len(list.Items) == 0 {
		return
	}
	before := c.asked
	asked := before.Payload.(*wire.ListRequest)
	request := *before.Request
	request.Key = list.Items[len(list.Items)-1].Key + "\x00"
	request.Freshness, request.Revision = model.Exact, list.ResourceVersion
	next := &wire.ListRequest{Prefix: asked.Prefix, ResourceVersion: wire.Unset, Limit: asked.Limit, Continue: list.Continue, Selector: asked.Selector, KeysOnly: asked.KeysOnly}
	if beside := before.BesideToken; beside != nil {
		next.ResourceVersion, next.Match = beside.ResourceVersion, beside.Match
	}
	c.page = &Step{
		To:          before.nextTo(),
		Payload:     next,
		Request:     &request,
		Think:       before.Think,
		Pages:       before.Pages - 1,
		Turns:       before.Turns,
		BesideToken: before.BesideToken,
		TakesRest:   before.TakesRest,
	}
}

// askRest plans the request for the rest of a list whose page was compacted, if the client
// takes what it is offered. In the history it is a consistent read from where the page was
// to begin: the token stands for the newest state.
func (c *Client) askRest(refused *wire.Error) {
	before := c.asked
	if refused.Continue == "" || !before.TakesRest {
		return
	}
	asked := before.Payload.(*wire.ListRequest)
	request := *before.Request
	request.Freshness, request.Revision = model.Consistent, 0
	next := *before
	next.To, next.Request, next.Pages = before.nextTo(), &request, before.Pages-1
	next.Payload = &wire.ListRequest{Prefix: asked.Prefix, ResourceVersion: wire.Unset, Limit: asked.Limit, Continue: refused.Continue, Selector: asked.Selector, KeysOnly: asked.KeysOnly}
	c.page = &next
}

// nextTo is the node that is asked for the next page.
func (s *Step) nextTo() sim.NodeID {
	if len(s.Turns) == 0 {
		return s.To
	}
	return s.Turns[(slices.Index(s.Turns, s.To)+1)%len(s.Turns)]
}

// The fields by which clients select objects. Both are the writer of the object's
// value: a write by another one moves the object from one selection to another. The
// cache has an index of IndexedField.
const (
	IndexedField   = "spec.writer"
	UnindexedField = "status.writer"
	// UnknownField is a field that no object has: the API refuses it.
	UnknownField = "spec.none"
)

// InitialValue is that of each object before the run.
const InitialValue = "initial"

// ValueBefore is the value of the i-th object before the run, if these share a number of
// values of the fields; 0 is one value for all.
func ValueBefore(i, groups int) string {
	if groups == 0 {
		return InitialValue
	}
	return GroupOf(i, groups) + "." + InitialValue
}

// GroupOf is the value of the fields that the i-th object has before the run.
func GroupOf(i, groups int) string { return "g" + strconv.Itoa(i%groups+1) }

// WriterOf is the writer of a value: what stands before the dot. Values from before the
// run have none.
func WriterOf(value string) string {
	writer, _, _ := strings.Cut(value, ".")
	return writer
}

// WriteLabel is the label by which clients select objects: the number of the write, which
// stands behind the dot. Each write gives an object another one, and objects from before
// the run have none.
const WriteLabel = "write"

// WriteOf is the label of a value, empty if it has none.
func WriteOf(value string) string {
	_, write, _ := strings.Cut(value, ".")
	return write
}

// Values is what the values of the objects look like that a selector selects.
func Values(s wire.Selector) model.ValuePattern {
	p := valuesOfTerm(&s)
	for term := s.And; term != nil; term = term.And {
		p = p.And(valuesOfTerm(term))
	}
	return p
}

func valuesOfTerm(s *wire.Selector) (p model.ValuePattern) {
	switch {
	case s.Field == "":
	case s.Value == InitialValue:
		p.Prefix = s.Value
	default:
		p.Prefix = s.Value + "."
	}
	if s.Label != "" {
		p.Suffix = "." + s.LabelValue
	}
	p.Shard = model.Shard{ByValue: s.Shard.By != "", From: s.Shard.From, To: s.Shard.To}
	return p
}

// A write of an API server is recorded as the transaction that its answer shows: one that looks at
// what the object was, changes that, and is refused where the object is not so. Before there is an
// answer it is one that changes the object to something; the ground truth has to say to what.
//
// The API server carries out transactions of its own. Those of writes that no client was answered
// are in the ground truth alone.

// requestOfWrite is the transaction of a write without an answer, nil if p is no such write.
func requestOfWrite(p sim.Payload) *model.Request {
	switch p := p.(type) {
	case *wire.CreateRequest:
		return ifAbsent(p.Key, p.Value)
	case *wire.GuaranteedUpdateRequest:
		return &model.Request{Kind: model.Txn, Compare: there(p.Key), Success: []model.Request{{Kind: model.Put, Key: p.Key, Value: p.Add}}}
	case *wire.DeleteRequest:
		return &model.Request{Kind: model.Txn, Compare: there(p.Key), Success: []model.Request{{Kind: model.Delete, Key: p.Key}}}
	}
	return nil
}

// there: the object exists.
func there(key string) []model.Compare {
	return []model.Compare{{Key: key, Target: model.CompareMod, Op: model.Greater}}
}

func ifAbsent(key, value string) *model.Request {
	return &model.Request{
		Kind: model.Txn, Compare: []model.Compare{{Key: key, Target: model.CompareMod, Op: model.Equal}},
		Success: []model.Request{{Kind: model.Put, Key: key, Value: value}},
	}
}

// was: the object has this value.
func was(key, value string) []model.Compare {
	return []model.Compare{{Key: key, Target: model.CompareValue, Op: model.Equal, Value: value}}
}

// takeWrite records an answer to a write.
func (c *Client) takeWrite(p sim.Payload, op *model.Operation, res *model.Result, span *Span) {
	span.Write = p
	var shown *model.Request
	switch p := p.(type) {
	case *wire.ObjectResponse:
		shown = c.written(p, res)
	case *wire.Error:
		shown = c.refused(p, res)
	}
	if shown != nil {
		op.Request, op.Outcome, res.Err = shown, model.Done, model.OK
	}
}

// written records what a write has made of an object, or that it has left it as it was.
func (c *Client) written(p *wire.ObjectResponse, res *model.Result) *model.Request {
	var changed model.Request
	res.Revision, res.Succeeded, res.Results = p.Item.ModRevision, true, []model.Result{{}}
	switch r := c.asked.Payload.(type) {
	case *wire.CreateRequest:
		return ifAbsent(r.Key, p.Item.Value)
	case *wire.DeleteRequest:
		res.Results[0].Deleted = 1
		changed = model.Request{Compare: was(r.Key, p.Item.Value), Success: []model.Request{{Kind: model.Delete, Key: r.Key}}}
	case *wire.GuaranteedUpdateRequest:
		before, added := strings.CutSuffix(p.Item.Value, wire.MemberSeparator+r.Add)
		switch {
		case c.mayBeOlder(r, p.Item) || !added && p.Item.Value != r.Add:
			// The state has this object.
			res.Revision = 0
			res.Results[0] = model.Result{Items: c.convert([]*wire.KeyValue{p.Item}), Count: 1}
			changed.Success = []model.Request{{Kind: model.Get, Key: r.Key}}
		case !added:
			return ifAbsent(r.Key, p.Item.Value)
		default:
			changed = model.Request{Compare: was(r.Key, before), Success: []model.Request{{Kind: model.Put, Key: r.Key, Value: p.Item.Value}}}
		}
	}
	changed.Kind = model.Txn
	return &changed
}

// mayBeOlder reports whether an object with a member at its end may be so by an earlier request of
// the client: no other client adds that member.
func (c *Client) mayBeOlder(r *wire.GuaranteedUpdateRequest, item *wire.KeyValue) bool {
	for i := range c.requests[:len(c.requests)-1] {
		if before, ok := c.requests[i].(*wire.GuaranteedUpdateRequest); ok && before.Key == r.Key && before.Add == r.Add {
			answer, answered := c.spans[i].Write.(*wire.ObjectResponse)
			if !answered && c.operations[i].Outcome == model.Unknown || answered && answer.Item.ModRevision == item.ModRevision {
				return true
			}
		}
	}
	return false
}

// refused records why a write was not carried out, as the state shows it. It returns nil if no
// transaction finds that out.
func (c *Client) refused(e *wire.Error, res *model.Result) *model.Request {
	key, required := "", int64(0)
	switch r := c.asked.Payload.(type) {
	case *wire.CreateRequest:
		if e.Code == wire.KeyExists {
			return ifAbsent(r.Key, r.Value)
		}
		return nil
	case *wire.GuaranteedUpdateRequest:
		if key, required = r.Key, r.Precondition; required == 0 {
			required = r.Expected
		}
		if r.IgnoreNotFound {
			return nil
		}
	case *wire.DeleteRequest:
		key, required = r.Key, r.Precondition
	default:
		return nil
	}
	switch e.Code {
	case wire.KeyNotFound:
		return &model.Request{Kind: model.Txn, Compare: there(key)}
	case wire.Conflict:
		// There is an object, and another one than is required.
		res.Results = []model.Result{{Succeeded: true}}
		return &model.Request{
			Kind:    model.Txn,
			Compare: []model.Compare{{Key: key, Target: model.CompareMod, Op: model.Equal, Operand: required}},
			Failure: []model.Request{{Kind: model.Txn, Compare: there(key)}},
		}
	}
	return nil
}

// own is the object of a key as the client knows it from its last answer about that, nil if it knows
// of none.
func (c *Client) own(key string) *wire.KeyValue {
	for i := len(c.spans) - 1; i >= 0; i-- {
		answer, ok := c.spans[i].Write.(*wire.ObjectResponse)
		if !ok || answer.Item.Key != key {
			continue
		}
		if _, deleted := c.requests[i].(*wire.DeleteRequest); deleted {
			return nil
		}
		return answer.Item
	}
	return nil
}
