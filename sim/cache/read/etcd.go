package read

import (
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/request"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/cache/traffic"
	"github.com/watchbed/watchbed/sim/wire"
)

// AskEtcd puts the client's question to etcd, as the etcd3 store does.
func (r *Read) AskEtcd(env *sim.Env, origin wire.Origin) {
	if refused := r.mayNotAskEtcd(env); refused != nil {
		r.finish(env, refused)
		return
	}
	if env.Noting() {
		env.Note(r.passingOn(origin))
	}
	r.wait.Change(env)
	r.state, r.origin = delegated, origin
	r.operation().Asked(env)
	if r.get != nil {
		r.call = env.Call(r.d.cfg.KV, &wire.RangeRequest{Key: r.get.Key})
		return
	}
	*r.d.delegated.Change(env)++
	r.call = env.Call(r.d.cfg.KV, r.rangeRequest())
}

// operation is what is asked of etcd on behalf of the read.
func (r *Read) operation() traffic.Operation {
	switch {
	case r.state == asking, r.future:
		return traffic.CurrentRevision
	case r.get != nil:
		return traffic.GetForClient
	case r.exact > 0:
		return traffic.ListExact
	}
	return traffic.ListForClient
}

// passingOn says that the read is put to etcd.
func (r *Read) passingOn(origin wire.Origin) sim.Note {
	kind, exactly := passesOn, ""
	switch {
	case origin == wire.FromFallback && r.get != nil:
		return fellBackOnGet.Of()
	case origin == wire.FromFallback:
		return fellBack.Of()
	case r.list != nil && r.list.Continue != "":
		kind = passesPageOn
	}
	if r.exact != 0 {
		exactly = ", which is asked for exactly resourceVersion " + strconv.FormatInt(r.exact, 10)
	}
	return kind.Of(r.exact, r.from, r.label(), exactly)
}

// rangeRequest is the question of a LIST (store.getList).
func (r *Read) rangeRequest() *wire.RangeRequest {
	if r.list.Single {
		return &wire.RangeRequest{Key: r.list.Prefix, Revision: r.exact, KeysOnly: r.list.KeysOnly}
	}
	prefix := store.PreparePrefix(r.list.Prefix)
	req := &wire.RangeRequest{Key: prefix, RangeEnd: wire.PrefixEnd(prefix), Limit: max(r.list.Limit, 0), Revision: r.exact, KeysOnly: r.list.KeysOnly,
		AsPage: r.list.Limit > 0 && !r.list.Selector.Empty()}
	if r.list.Continue != "" {
		req.Key = r.start
	}
	return req
}

// Answered takes what etcd said to a read, or to several that asked together; it
// returns false if no read asked.
func (d *Delegator) Answered(env *sim.Env, m *sim.Message) bool {
	found := false
	for _, r := range d.reads.All() {
		if r.call == m.Conn && r.state != free {
			found = true
			r.answered(env, m.Payload)
		}
	}
	return found
}

func (r *Read) answered(env *sim.Env, p sim.Payload) {
	r.wait.Read(env)
	r.wait.Change(env)
	r.call = sim.NoConn
	if answer, ok := p.(*wire.RangeResponse); ok {
		r.operation().Answered(env, answer)
	}
	if r.future {
		// The error has 0 in place of etcd's revision if that is not known.
		r.finish(env, tooLargeForEtcd)
		return
	}
	switch p := p.(type) {
	case *wire.RangeResponse:
		if r.isWithEtcd() {
			env.Add(storageFetched, int64(len(p.Kvs)))
		}
		if r.state == asking {
			r.revisionKnown(env, p.Revision)
		} else {
			r.relay(env, p)
		}
	case *wire.Error:
		env.Cover(etcdRefused)
		if p.Code == wire.ErrFutureRev {
			// listReadError: the error says what etcd's revision is.
			r.future, r.call = true, r.d.callRevision(env)
			return
		}
		r.finish(env, r.interpretError(env, p))
	default:
		env.Cover(etcdUnavailable)
		r.finish(env, unavailable)
	}
}

// relay turns etcd's answer into the client's.
func (r *Read) relay(env *sim.Env, p *wire.RangeResponse) {
	if r.minimumResourceVersion() > p.Revision {
		// validateMinimumResourceVersion: not older than a future revision.
		env.Cover(etcdTooOld)
		r.finish(env, tooLargeForEtcd)
		return
	}
	if r.get != nil {
		var found *wire.KeyValue
		if len(p.Kvs) > 0 {
			found = p.Kvs[0]
		}
		r.finish(env, r.d.answers.get(found, p.Revision, r.origin))
		return
	}
	lastKey := ""
	if !r.list.Selector.Empty() {
		if p, lastKey = r.selectFrom(env, p); p == nil {
			return
		}
	} else if len(p.Kvs) > 0 {
		lastKey = p.Kvs[len(p.Kvs)-1].Key
	}
	// A list at a revision carries that one; etcd's header always has the
	// newest.
	at := p.Revision
	if r.exact > 0 {
		at = r.exact
	}
	answer := wire.ListResponse{ResourceVersion: at, Items: p.Kvs, Shard: r.list.Selector.Shard, Origin: r.origin}
	if p.More && lastKey != "" {
		answer.Continue = request.EncodeContinue(at, store.PreparePrefix(r.list.Prefix), lastKey)
		if r.list.Selector.Empty() {
			// etcd counts from the key on where the page begins.
			answer.RemainingItemCount = p.Count - r.list.Limit
		}
	}
	r.finish(env, r.d.answers.list(answer))
}

// minimumResourceVersion is the resourceVersion of the request of a read that is not exact.
func (r *Read) minimumResourceVersion() int64 {
	switch {
	case r.get != nil:
		return r.get.ResourceVersion
	case r.exact > 0:
		return 0
	}
	return r.list.ResourceVersion
}

// interpretError is how the storage layer words etcd's refusals (interpretListError). A
// page whose revision was compacted comes with the token of its rest
// (handleCompactedErrorForPaging).
//
// The token begins where the page does, unless a selector made the page ask etcd again:
// pagedChunks has moved its continueKey on by then, listReadError is given that one, and
// the rest lacks what the page had found before. The client never sees it: the page itself
// is refused.
func (r *Read) interpretError(env *sim.Env, err *wire.Error) *wire.Error {
	if err.Code == wire.ErrCompacted && r.list != nil && r.list.Continue != "" && !r.list.Single {
		env.Cover(pageCompacted)
		start := r.start
		if r.selection != nil {
			env.Cover(selectionCompacted)
			start = r.selection.next
		}
		with := *err
		with.Continue = request.EncodeRest(store.PreparePrefix(r.list.Prefix), start)
		return &with
	}
	return err
}

// maxPerPage is how many objects a page of a delegated list with a selector
// grows to (etcd3's maxLimit).
const maxPerPage = 10000

// selection is a delegated list with a selector: etcd knows of no selectors, so
// it is asked page after page until enough objects were selected. It is never
// written to again: clones share it.
type selection struct {
	found []*wire.KeyValue
	// limit is that of the present page, next the key at which it begins (continueKey of
	// pagedChunks).
	limit int64
	next  string
}

// selectFrom takes etcd's page (appendChunk). It returns the answer of the list
// and the last key that was looked at, or nil if it has requested one more
// page: twice as long, because the selector took little of the last one.
func (r *Read) selectFrom(env *sim.Env, p *wire.RangeResponse) (answer *wire.RangeResponse, lastKey string) {
	list := r.list
	s := selection{limit: max(list.Limit, 0)}
	if r.selection != nil {
		s = *r.selection
	}
	selector, more := r.d.cfg.Shards.OfList(list, true), p.More
	for at, kv := range p.Kvs {
		lastKey = kv.Key
		if !r.d.cfg.Fields.Selects(selector, kv) {
			continue
		}
		s.found = append(s.found, kv)
		if int64(len(s.found)) == list.Limit {
			more = more || at+1 < len(p.Kvs)
			return &wire.RangeResponse{Revision: p.Revision, Kvs: s.found, More: more}, lastKey
		}
	}
	if !more || lastKey == "" {
		return &wire.RangeResponse{Revision: p.Revision, Kvs: s.found, More: more}, lastKey
	}
	env.Cover(selectionGoesOn)
	if r.exact == 0 {
		// What comes is of the revision of what there is.
		r.exact = p.Revision
	}
	s.limit = min(2*s.limit, max(maxPerPage, s.limit))
	s.next = lastKey + "\x00"
	prefix := store.PreparePrefix(list.Prefix)
	s.found = slices.Clip(s.found)
	r.selection = &s
	r.operation().Asked(env)
	r.call = env.Call(r.d.cfg.KV, &wire.RangeRequest{Key: s.next, RangeEnd: wire.PrefixEnd(prefix), Limit: s.limit, Revision: r.exact, AsPage: true})
	return nil, ""
}

func (s *selection) Digest(d sim.Digest) sim.Digest {
	d = d.Int(s.limit).Int(int64(len(s.found))).Text(s.next)
	for _, kv := range s.found {
		d = d.Text(kv.Key).Int(kv.ModRevision)
	}
	return d
}

// mayNotAskEtcd says why a read may not be put to etcd, nil if it may: there are as
// many lists under way already as this API server lets through, or the request's
// own time is up, whose context etcd's client looks at first.
//
// The limit is of lists that are put to etcd, whatever they cost, and it is looked at when
// one is: what KEP-2340 ("What if the watch cache is stale?") wants of rate limiting. API
// Priority and Fairness decides before that, by the cost of a read of the cache
// (flowcontrol.Level), and counts a list that waits for the cache as well.
func (r *Read) mayNotAskEtcd(env *sim.Env) *wire.Error {
	l := &r.d.cfg.Limits
	if env.Mode() == sim.Timed && l.RequestTimeout > 0 && env.Now().Sub(r.arrived) >= l.RequestTimeout {
		env.Cover(requestTimedOut)
		return requestTimeout
	}
	if r.list == nil {
		return nil
	}
	if l.DelegatedLimit > 0 {
		if under := r.d.delegated.Get(env); under >= l.DelegatedLimit {
			env.Cover(delegationLimited)
			if env.Noting() {
				lists := "1 list is"
				if under > 1 {
					lists = strconv.Itoa(under) + " lists are"
				}
				env.Note(refusesDelegation.Of(r.from, r.label(), lists))
			}
			return tooManyDelegated
		}
	}
	return r.d.cfg.Flow.Delegate(env, r.conn)
}

var (
	tooManyDelegated = &wire.Error{Code: wire.TooManyRequests, Message: "too many lists are with etcd: retry after 1 s", RetryAfter: 1}
	// No client hears requestTimeout: it has hung up by then.
	requestTimeout = &wire.Error{Code: wire.Unavailable, Message: "request did not complete within its timeout"}
)
