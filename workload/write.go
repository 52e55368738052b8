package workload

import (
	"strings"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

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
