package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/conformance/recorded"
	"github.com/watchbed/watchbed/model"
)

// probe asks for one promise what one client can see of it.
type probe struct {
	name, asks, source string
	run                func(*try)
}

// probes are in the order in which they are tried: compactions come last, since they take history.
var probes = []probe{
	{"revisions", "Each write makes the next revision; a write that changes nothing makes none.", "etcd: KV API guarantees", revisions},
	{"transactions", "A transaction compares mod, create and version, values and leases, and does one branch at one revision.", "etcd: KV API", transactions},
	{"pages", "A range with a limit says how many keys there are and whether more follow; the next page at its revision goes on where it ended.", "etcd: KV API", pages},
	{"past-revisions", "The store of each past revision can be read until it is compacted.", "etcd: KV API", pastRevisions},
	{"future-revisions", "A read of a revision that is not there yet is refused; a watch waits for it.", "etcd: KV API, watch API", futureRevisions},
	{"watch-ids", "Watches of one stream have ids, begin and end by themselves, and a cancellation is confirmed.", "etcd: watch API", watchIDs},
	{"slow-watch", "A watch whose client does not read for a while is sent each event afterwards, or ends and can be resumed.", "etcd: watch API", slowWatch},
	{"leases", "Keys go with their lease when it is revoked or expires, not before its time, and each is an event.", "etcd: lease API", leases},
	{"lease-renewals", "A lease that is renewed does not expire.", "etcd: lease API", leaseRenewals},
	{"future-watch", "A watch of a future revision is sent no progress before that.", "etcd-io/etcd#20221", futureWatch},
	{"progress-requested", "A stream of watches that are up to date answers a progress request.", "etcd: watch API, KEP-2340", progressRequested},
	{"progress-quiet", "Progress comes within seconds also behind a watch of quiet keys that begins in the past.", "etcd-io/etcd#17507", progressQuiet},
	{"range-stream", "A range comes as a stream of chunks that are one state.", "etcd 3.7, KEP-5966", rangeStream},
	{"negative-watch", "A watch from revision -1 takes no events from other watches.", "etcd-io/etcd#20693", negativeWatch},
	{"full-watch", "A watch of compacted history ends also if its client does not read for a while.", "etcd-io/etcd#17529", fullWatch},
	{"compaction", "What is below a compacted revision is refused as compacted, to reads and watches; the revision itself can be watched from.", "etcd: KV API, watch API, etcd-io/etcd#18089", compaction},
}

// try is one probe under way.
type try struct {
	ctx    context.Context
	server *server
	rec    *recorded.Recorder
	prefix string
	p      Promise
}

// stop ends a probe that needs to go no further.
type stop struct{}

// broken ends all: the server does not answer.
type broken struct{ error }

func (s *server) try(ctx context.Context, of *probe) (err error) {
	t := &try{ctx: ctx, server: s, rec: &recorded.Recorder{}, prefix: s.Prefix + of.name + "/", p: Promise{Name: of.name, Asks: of.asks, Source: of.source, Verdict: Holds}}
	defer func() {
		switch r := recover().(type) {
		case nil, stop:
			s.report.Promises = append(s.report.Promises, t.p)
		case broken:
			err = fmt.Errorf("%s: %w", of.name, r.error)
		default:
			panic(r)
		}
	}()
	of.run(t)
	return nil
}

func (t *try) say(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(text) > longest {
		text = text[:longest] + "..."
	}
	t.p.Transcript = append(t.p.Transcript, text)
}

// longest is that of a line in a transcript.
const longest = 300

// end ends the probe with a verdict.
func (t *try) end(v Verdict, format string, args ...any) {
	t.p.Verdict, t.p.Sentence = v, fmt.Sprintf(format, args...)
	if v == Violated {
		t.p.Violations++
	} else {
		t.p.Transcript = nil
	}
	panic(stop{})
}

// want ends the probe if what was promised is not so.
func (t *try) want(so bool, format string, args ...any) {
	t.p.Checked++
	if !so {
		t.end(Violated, format, args...)
	}
}

func (t *try) key(name string) []byte { return []byte(t.prefix + name) }

// ask sends a request and returns its answer, or the error that refuses it.
func (t *try) ask(request any) (any, error) {
	t.server.requests++
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	response, err := t.rec.Do(ctx, t.server.kv, "probe", request)
	t.say("-> %v", request)
	if err != nil {
		t.say("<- %v", err)
		t.carriedOut(err)
		return nil, err
	}
	t.say("<- %v", response)
	return response, nil
}

// carriedOut ends all if an error says that the server does not answer.
func (t *try) carriedOut(err error) {
	switch code := status.Code(err); {
	case fatal(err), code == codes.Unavailable, code == codes.DeadlineExceeded, code == codes.Canceled, err != nil && t.ctx.Err() != nil:
		panic(broken{err})
	}
}

// answer is the answer to a request that must not be refused.
func answer[R any](t *try, request any) R {
	response, err := t.ask(request)
	if err != nil {
		switch {
		case status.Code(err) == codes.Unimplemented:
			t.end(NotOffered, "%v", err)
		case errors.Is(rpctypes.Error(err), rpctypes.ErrRequestTooLarge):
			t.end(NotTried, "the server takes no request that is so large")
		case recorded.Refusal(err) == model.Compacted:
			t.end(Unknown, "another client has compacted the store")
		}
		t.end(Violated, "%.200v is refused: %v", request, err)
	}
	return response.(R)
}

// put writes a key and returns the revision that it made.
func (t *try) put(name, value string) int64 {
	return t.write(&pb.PutRequest{Key: t.key(name), Value: []byte(value)})
}

func (t *try) write(put *pb.PutRequest) int64 {
	if !t.server.report.Kubernetes {
		return answer[*pb.PutResponse](t, put).Header.Revision
	}
	done := t.txn(recorded.WriteIf(put, t.present(put.Key)))
	t.want(done.Succeeded, "a write of %s does not succeed, which no other client writes", put.Key)
	return done.Header.Revision
}

func (t *try) remove(name string) int64 {
	if !t.server.report.Kubernetes {
		return answer[*pb.DeleteRangeResponse](t, &pb.DeleteRangeRequest{Key: t.key(name)}).Header.Revision
	}
	return t.txn(recorded.DeleteIf(t.key(name), t.present(t.key(name)))).Header.Revision
}

// present is the revision of a key, 0 if it is not there.
func (t *try) present(key []byte) int64 {
	if r := answer[*pb.RangeResponse](t, &pb.RangeRequest{Key: key}); len(r.Kvs) > 0 {
		return r.Kvs[0].ModRevision
	}
	return 0
}

func (t *try) list(r *pb.RangeRequest) *pb.RangeResponse {
	r.Key, r.RangeEnd = []byte(t.prefix), end(t.prefix)
	return answer[*pb.RangeResponse](t, r)
}

func (t *try) txn(r *pb.TxnRequest) *pb.TxnResponse { return answer[*pb.TxnResponse](t, r) }

// stream opens a stream that ends with the probe.
func (t *try) stream(creates ...*pb.WatchCreateRequest) *recorded.Stream {
	s, err := t.rec.Watch(t.ctx, t.server.conn, "probe", nil)
	if err != nil {
		panic(broken{err})
	}
	for _, c := range creates {
		t.say("-> watch [%s, %s) from revision %d", c.Key, c.RangeEnd, c.StartRevision)
		if err := s.Create(c); err != nil {
			panic(broken{err})
		}
	}
	return s
}

// next is the next response of a stream. What does not come in time is a violation.
func (t *try) next(s *recorded.Stream, what string) *pb.WatchResponse {
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	p := s.Next(ctx)
	if p == nil && ctx.Err() == nil {
		panic(broken{fmt.Errorf("a stream of watches has ended: %w", s.Ended())})
	}
	if t.ctx.Err() != nil {
		panic(broken{t.ctx.Err()})
	}
	t.want(p != nil, "%s does not come within %v", what, patience)
	t.say("<- %s", recorded.Describe(p))
	return p
}

// created is the answer to a create request.
func (t *try) created(s *recorded.Stream) *pb.WatchResponse {
	p := t.next(s, "the answer to a create request")
	t.want(p.Created, "the first response of a watch is not Created")
	return p
}

// prefixWatch watches all keys of the probe.
func (t *try) prefixWatch(from int64) *pb.WatchCreateRequest {
	return &pb.WatchCreateRequest{Key: []byte(t.prefix), RangeEnd: end(t.prefix), StartRevision: from, ProgressNotify: true}
}

func revisions(t *try) {
	a := t.put("a", "1")
	b := t.put("b", "1")
	// Others may write in between.
	t.want(b > a, "the second write has revision %d, the first %d", b, a)
	again := t.put("a", "2")
	gone := t.remove("b")
	t.want(gone > again && again > b, "three writes have the revisions %d, %d and %d", b, again, gone)
	none := t.txn(recorded.DeleteIf(t.key("none"), 1))
	t.want(!none.Succeeded, "a key that is not there is deleted at revision 1")
	left := t.list(&pb.RangeRequest{})
	t.want(len(left.Kvs) == 1, "one key is left of two, and %d are there", len(left.Kvs))
	kv := left.Kvs[0]
	t.want(kv.ModRevision == again && kv.CreateRevision == a && string(kv.Value) == "2", "a key that was created at %d and written at %d is %v", a, again, kv)
}

func transactions(t *try) {
	if t.server.report.Kubernetes {
		t.end(NotOffered, "the server takes requests of the shapes that an API server sends")
	}
	made := t.put("a", "1")
	key := t.key("a")
	compares := []struct {
		c     *pb.Compare
		holds bool
	}{
		{recorded.ModIs(key, made), true}, {recorded.ModIs(key, made-1), false}, {recorded.ModIs(t.key("none"), 0), true},
		{&pb.Compare{Key: key, Target: pb.Compare_CREATE, Result: pb.Compare_GREATER, TargetUnion: &pb.Compare_CreateRevision{CreateRevision: made - 1}}, true},
		{&pb.Compare{Key: key, Target: pb.Compare_VERSION, TargetUnion: &pb.Compare_Version{Version: 1}}, true},
		{&pb.Compare{Key: key, Target: pb.Compare_VERSION, Result: pb.Compare_LESS, TargetUnion: &pb.Compare_Version{Version: 1}}, false},
		{&pb.Compare{Key: key, Target: pb.Compare_VALUE, TargetUnion: &pb.Compare_Value{Value: []byte("1")}}, true},
		{&pb.Compare{Key: key, Target: pb.Compare_VALUE, Result: pb.Compare_NOT_EQUAL, TargetUnion: &pb.Compare_Value{Value: []byte("1")}}, false},
		{&pb.Compare{Key: key, Target: pb.Compare_LEASE, TargetUnion: &pb.Compare_Lease{Lease: 0}}, true},
	}
	for _, x := range compares {
		r := t.txn(&pb.TxnRequest{Compare: []*pb.Compare{x.c}, Success: []*pb.RequestOp{recorded.OpRange(&pb.RangeRequest{Key: key})}})
		t.want(r.Succeeded == x.holds, "the comparison %v is %t", x.c, r.Succeeded)
		t.want(!x.holds || len(r.Responses) == 1 && len(r.Responses[0].GetResponseRange().GetKvs()) == 1, "the read of a transaction is answered %v", r.Responses)
	}
	put := recorded.OpPut(&pb.PutRequest{Key: key, Value: []byte("2")})
	if _, err := t.ask(&pb.TxnRequest{Success: []*pb.RequestOp{put, put}}); err == nil {
		t.want(false, "a transaction that puts a key twice is carried out")
	}
	r := t.txn(&pb.TxnRequest{Compare: []*pb.Compare{recorded.ModIs(key, made)}, Success: []*pb.RequestOp{put, recorded.OpDelete(&pb.DeleteRangeRequest{Key: t.key("b")}), recorded.OpRange(&pb.RangeRequest{Key: key})}})
	t.want(len(r.Responses) == 3, "a transaction of three operations has %d answers", len(r.Responses))
	kvs := r.Responses[2].GetResponseRange().GetKvs()
	t.want(len(kvs) == 1 && string(kvs[0].Value) == "2" && kvs[0].Version == 2, "a transaction does not read what it has put before, the second version: %v", kvs)
	prev := answer[*pb.PutResponse](t, &pb.PutRequest{Key: key, Value: []byte("3"), PrevKv: true})
	t.want(prev.PrevKv != nil && string(prev.PrevKv.Value) == "2", "a put that asks for the previous value is answered %v", prev.PrevKv)
}

func pages(t *try) {
	for i := range 7 {
		t.put(fmt.Sprint("k", i), "1")
	}
	first := t.list(&pb.RangeRequest{Limit: 3})
	t.want(len(first.Kvs) == 3 && first.More, "a range of seven keys with limit 3 has %d keys, more: %t", len(first.Kvs), first.More)
	t.want(first.Count == 7, "a range of seven keys with limit 3 has count %d", first.Count)
	t.put("k5", "2")
	t.remove("k6")
	rest := answer[*pb.RangeResponse](t, &pb.RangeRequest{Key: append(first.Kvs[2].Key, 0), RangeEnd: end(t.prefix), Revision: first.Header.Revision})
	t.want(len(rest.Kvs) == 4 && !rest.More, "the rest at revision %d has %d keys, more: %t", first.Header.Revision, len(rest.Kvs), rest.More)
	t.want(len(rest.Kvs) > 2 && string(rest.Kvs[2].Value) == "1", "the rest at revision %d shows a later value", first.Header.Revision)
	if !t.server.report.Kubernetes {
		some := t.list(&pb.RangeRequest{MinModRevision: first.Kvs[2].ModRevision})
		t.want(some.Count == 6, "a range with a least mod revision has count %d, and the range has six keys", some.Count)
	}
	count := t.list(&pb.RangeRequest{CountOnly: true})
	t.want(count.Count == 6 && len(count.Kvs) == 0, "six keys are counted as %d, with %d keys", count.Count, len(count.Kvs))
	if t.server.report.Kubernetes {
		return
	}
	keys := t.list(&pb.RangeRequest{KeysOnly: true})
	t.want(len(keys.Kvs) == 6 && len(keys.Kvs[0].Value) == 0, "a range of six keys alone is answered %v", keys.Kvs)
}

func pastRevisions(t *try) {
	var made []int64
	for i := range 5 {
		made = append(made, t.put("a", fmt.Sprint(i)))
	}
	t.remove("a")
	for i, revision := range made {
		at := t.list(&pb.RangeRequest{Revision: revision})
		t.want(len(at.Kvs) == 1 && string(at.Kvs[0].Value) == fmt.Sprint(i), "revision %d shows %v", revision, at.Kvs)
		t.want(at.Header.Revision > made[4], "the header of a read of revision %d says %d, and is that of the store", revision, at.Header.Revision)
	}
}

// unreachable is further than a store comes meanwhile.
const unreachable = 1 << 40

func futureRevisions(t *try) {
	now := t.put("a", "1")
	_, err := t.ask(&pb.RangeRequest{Key: t.key("a"), Revision: now + unreachable})
	t.want(recorded.Refusal(err) == model.Future, "a read of revision %d is answered %v, etcd is at %d", now+unreachable, err, now)
	first := now + 3
	s := t.stream(t.prefixWatch(first))
	defer s.Close()
	t.created(s)
	for range 4 {
		t.put("a", "2")
	}
	p := t.next(s, "an event")
	t.want(len(p.Events) > 0 && p.Events[0].Kv.ModRevision >= first, "a watch from revision %d is sent %s", first, recorded.Describe(p))
}

func watchIDs(t *try) {
	s := t.stream(t.prefixWatch(0), &pb.WatchCreateRequest{Key: t.key("a"), ProgressNotify: true})
	defer s.Close()
	a, b := t.created(s).WatchId, t.created(s).WatchId
	t.want(a != b, "two watches have the id %d", a)
	t.put("a", "1")
	got := map[int64]int{}
	for len(got) < 2 {
		p := t.next(s, "an event of each watch")
		got[p.WatchId] += len(p.Events)
	}
	if err := s.Cancel(b); err != nil {
		panic(broken{err})
	}
	p := t.next(s, "the end of a watch")
	t.want(p.Canceled && p.WatchId == b, "the answer to a cancellation of watch %d is: %s", b, recorded.Describe(p))
	t.put("a", "2")
	p = t.next(s, "an event of the watch that is left")
	t.want(p.WatchId == a && len(p.Events) == 1, "after a cancellation of watch %d the stream sends: %s", b, recorded.Describe(p))
	if t.server.report.Kubernetes {
		return
	}
	// An empty range is refused, and so is a negative revision or not; either is the affair of that watch alone.
	odds := []*pb.WatchCreateRequest{{Key: t.key("b"), RangeEnd: t.key("a")}}
	if t.server.Compact {
		odds = append(odds, &pb.WatchCreateRequest{Key: t.key("a"), StartRevision: -1})
	}
	for _, odd := range odds {
		if err := s.Create(odd); err != nil {
			panic(broken{err})
		}
		p = t.next(s, "the answer to a create request")
		// The refusal has the id of the request, which may be that of a watch (etcd-io/etcd#12385, in every release).
		t.want(p.Created, "the answer to a create request is: %s", recorded.Describe(p))
		t.want(p.Canceled || odd.RangeEnd == nil, "a watch of an empty range is not refused: %s", recorded.Describe(p))
		made := t.put("a", "3")
		for p = t.next(s, "the event of a watch beside another one"); p.WatchId != a; {
			p = t.next(s, "the event of a watch beside another one")
		}
		t.want(len(p.Events) == 1 && p.Events[0].Kv.ModRevision == made, "beside another watch the stream sends: %s", recorded.Describe(p))
	}
}

// slow is how many events a client lets wait, of slowBytes each: more than gRPC and the channel of a watch take (128).
const slow, slowBytes = 400, 8 << 10

func slowWatch(t *try) {
	hold := make(chan struct{})
	s, err := t.rec.Watch(t.ctx, t.server.conn, "probe", hold)
	if err != nil {
		panic(broken{err})
	}
	defer s.Close()
	if err := s.Create(t.prefixWatch(t.put("a", "1") + 1)); err != nil {
		panic(broken{err})
	}
	var made []int64
	for range slow {
		made = append(made, t.put("a", strings.Repeat("x", slowBytes)))
	}
	close(hold)
	t.p.Transcript = nil
	t.created(s)
	for len(made) > 0 {
		p := t.next(s, fmt.Sprintf("the event of revision %d", made[0]))
		if p.Canceled {
			if p.CompactRevision > made[0] {
				t.end(Unknown, "another client has compacted the store")
			}
			// The client comes back, and nothing is lost.
			s = t.stream(t.prefixWatch(made[0]))
			defer s.Close()
			t.created(s)
		}
		for _, e := range p.Events {
			t.want(e.Kv.ModRevision == made[0], "behind %d events comes that of revision %d, and that of %d is due", slow-len(made), e.Kv.ModRevision, made[0])
			made = made[1:]
		}
	}
}

func leases(t *try) {
	grant := func(seconds int64) *pb.LeaseGrantResponse {
		ctx, cancel := context.WithTimeout(t.ctx, patience)
		defer cancel()
		g, err := t.server.lease.LeaseGrant(ctx, &pb.LeaseGrantRequest{TTL: seconds})
		if status.Code(err) == codes.Unimplemented {
			t.end(NotOffered, "%v", err)
		}
		t.carriedOut(err)
		t.want(err == nil, "a lease is not granted: %v", err)
		t.want(g.TTL >= seconds, "a lease of %d s is granted for %d s", seconds, g.TTL)
		return g
	}
	var granted time.Time
	bind := func(name string, lease int64) {
		if time.Since(granted) > time.Second {
			t.end(Unknown, "the server took %v to grant a lease", time.Since(granted).Round(time.Millisecond))
		}
		t.write(&pb.PutRequest{Key: t.key(name), Value: []byte("1"), Lease: lease})
	}
	s := t.stream(t.prefixWatch(0))
	defer s.Close()
	t.created(s)
	revoked := grant(60)
	granted = time.Now()
	short := grant(1)
	bind("revoked", revoked.ID)
	bind("short", short.ID)
	name := "short"
	// An API server revokes none.
	if !t.server.report.Kubernetes {
		name = "revoked"
		ctx, cancel := context.WithTimeout(t.ctx, patience)
		defer cancel()
		_, err := t.server.lease.LeaseRevoke(ctx, &pb.LeaseRevokeRequest{ID: revoked.ID})
		t.carriedOut(err)
		t.want(err == nil, "a lease is not revoked: %v", err)
		left := t.list(&pb.RangeRequest{})
		t.want(len(left.Kvs) == 1, "after a revoke %d keys are left, and one is on another lease", len(left.Kvs))
	}
	for gone := false; !gone; {
		ctx, cancel := context.WithTimeout(t.ctx, time.Duration(short.TTL)*time.Second+2*patience)
		p := s.Next(ctx)
		cancel()
		t.carriedOut(t.ctx.Err())
		t.want(p != nil, "the event of a key whose lease ended does not come: %s", name)
		for _, e := range p.Events {
			t.say("<- %s", recorded.Describe(p))
			if e.Type != mvccpb.DELETE {
				continue
			}
			t.want(bytes.Equal(e.Kv.Key, t.key(name)), "%s is deleted before %s", e.Kv.Key, t.key(name))
			if gone = name == "short"; gone {
				// The time of a lease may begin when etcd grants it, and no earlier.
				t.want(time.Since(granted) >= time.Duration(short.TTL)*time.Second, "a lease of %d s expires after %v", short.TTL, time.Since(granted).Round(time.Millisecond))
			}
			name = "short"
		}
	}
}

func leaseRenewals(t *try) {
	if t.server.report.Kubernetes {
		t.end(NotTried, "an API server renews none")
	}
	ctx, cancel := context.WithTimeout(t.ctx, 2*patience)
	defer cancel()
	g, err := t.server.lease.LeaseGrant(ctx, &pb.LeaseGrantRequest{TTL: 2})
	if status.Code(err) == codes.Unimplemented {
		t.end(NotOffered, "%v", err)
	}
	t.carriedOut(err)
	t.want(err == nil, "a lease is not granted: %v", err)
	t.write(&pb.PutRequest{Key: t.key("a"), Value: []byte("1"), Lease: g.ID})
	renewals, err := t.server.lease.LeaseKeepAlive(ctx)
	if status.Code(err) == codes.Unimplemented {
		t.end(NotOffered, "%v", err)
	}
	t.carriedOut(err)
	for began, last := time.Now(), time.Now(); time.Since(began) < time.Duration(g.TTL)*time.Second+1500*time.Millisecond; {
		var renewed *pb.LeaseKeepAliveResponse
		if err = renewals.Send(&pb.LeaseKeepAliveRequest{ID: g.ID}); err == nil {
			renewed, err = renewals.Recv()
		}
		if status.Code(err) == codes.Unimplemented {
			t.end(NotOffered, "%v", err)
		}
		t.carriedOut(err)
		if time.Since(last) > time.Second {
			t.end(Unknown, "a renewal took %v", time.Since(last).Round(time.Millisecond))
		}
		t.want(err == nil && renewed.TTL > 0, "a lease that was renewed %v before is not renewed: %v", time.Since(last).Round(time.Millisecond), err)
		t.want(t.present(t.key("a")) > 0, "a key is gone, whose lease was renewed %v before", time.Since(last).Round(time.Millisecond))
		last = time.Now()
		wait(t.ctx, 300*time.Millisecond)
	}
}

func futureWatch(t *try) {
	start := t.put("a", "1") + unreachable
	s := t.stream(&pb.WatchCreateRequest{Key: t.key("a"), StartRevision: start, ProgressNotify: true})
	defer s.Close()
	t.created(s)
	for range 5 {
		if err := s.RequestProgress(); err != nil {
			panic(broken{err})
		}
		asked, done := context.WithTimeout(t.ctx, 100*time.Millisecond)
		p := s.Next(asked)
		done()
		t.carriedOut(t.ctx.Err())
		t.want(p == nil || !recorded.IsProgress(p), "a watch from revision %d is sent progress of an earlier revision", start)
	}
}

func progressRequested(t *try) {
	now := t.put("a", "1")
	s := t.stream(t.prefixWatch(0))
	defer s.Close()
	t.created(s)
	for range 3 {
		if err := s.RequestProgress(); err != nil {
			panic(broken{err})
		}
		p := t.next(s, "the answer to a progress request")
		for recorded.IsProgress(p) && p.WatchId != realetcd.AllWatchers && p.Header.Revision < now {
			// A notification without a request.
			p = t.next(s, "the answer to a progress request")
		}
		t.want(recorded.IsProgress(p), "a progress request is answered: %s", recorded.Describe(p))
		t.want(p.Header.Revision >= now, "progress says revision %d, and a write was answered %d before the request", p.Header.Revision, now)
		now = t.write(&pb.PutRequest{Key: []byte(t.server.Prefix + "elsewhere"), Value: []byte("1")})
	}
}

// quiet is how many streams ask for progress at a time: whether etcd #17507 shows depends on the time in its loop of
// 100 ms.
const quiet = 50

func progressQuiet(t *try) {
	first := t.put("noise", "1")
	for range 20 {
		t.put("noise", "2")
	}
	const enough = 3 * time.Second
	silent := make([]*recorded.Stream, quiet)
	var streams sync.WaitGroup
	for i := range quiet {
		streams.Go(func() {
			wait(t.ctx, time.Duration(rand.Int64N(int64(time.Second))))
			s, err := t.rec.Watch(t.ctx, t.server.conn, "probe", nil)
			if err != nil || s.Create(&pb.WatchCreateRequest{Key: t.key("quiet/"), RangeEnd: end(t.prefix + "quiet/"), StartRevision: first, ProgressNotify: t.server.report.Kubernetes}) != nil {
				return
			}
			defer s.Close()
			life, cancel := context.WithTimeout(t.ctx, enough)
			defer cancel()
			for life.Err() == nil && s.RequestProgress() == nil {
				asked, done := context.WithTimeout(life, 100*time.Millisecond)
				for p := s.Next(asked); p != nil; p = s.Next(asked) {
					if recorded.IsProgress(p) && p.WatchId == realetcd.AllWatchers {
						done()
						return
					}
				}
				done()
			}
			if s.Ended() == nil {
				silent[i] = s
			}
		})
	}
	streams.Wait()
	t.p.Checked = quiet
	asked := time.Now()
	if t.present(t.key("noise")); time.Since(asked) > time.Second {
		t.end(Unknown, "the server takes %v for a read", time.Since(asked).Round(time.Millisecond))
	}
	for _, s := range silent {
		if s == nil {
			continue
		}
		if t.p.Violations++; t.p.Violations == 1 {
			t.p.Transcript = s.Transcript(math.MaxInt)
		}
	}
	if t.p.Violations > 0 {
		t.p.Verdict, t.p.Sentence = Violated, fmt.Sprintf("%d of %d streams had no progress within %v, asked for every 100 ms", t.p.Violations, quiet, enough)
	}
}

func rangeStream(t *try) {
	for i := range 20 {
		t.put(fmt.Sprint("k", i), strings.Repeat("x", 1000))
	}
	ctx, cancel := context.WithTimeout(t.ctx, 2*patience)
	defer cancel()
	next, err := realetcd.RangeStream(ctx, t.server.conn, &pb.RangeRequest{Key: []byte(t.prefix), RangeEnd: end(t.prefix)})
	if err != nil {
		panic(broken{err})
	}
	var keys []*mvccpb.KeyValue
	revision := int64(0)
	for {
		var part *pb.RangeResponse
		if part, err = next(); err != nil {
			break
		}
		keys, revision = append(keys, part.GetKvs()...), max(revision, part.GetHeader().GetRevision())
	}
	if status.Code(err) == codes.Unimplemented {
		t.end(NotOffered, "the server does not know the method")
	}
	t.carriedOut(err)
	t.want(errors.Is(err, io.EOF), "the stream ends with %v", err)
	t.want(len(keys) == 20 && revision > 0, "the chunks have %d of 20 keys, and revision %d", len(keys), revision)
}

// negativeTries are few: all watches that are in the same round of etcd's loop of 100 ms show it.
const negativeTries = 5

func negativeWatch(t *try) {
	if !t.server.Compact {
		t.end(NotTried, "a server that is wrong here is wrong to all of its clients: --compact")
	}
	if t.server.report.Kubernetes {
		t.end(NotTried, "an API server sends no such watch")
	}
	first := t.put("a", "1")
	for range negativeTries {
		s := t.stream(&pb.WatchCreateRequest{Key: t.key("z"), StartRevision: -1}, t.prefixWatch(first))
		t.created(s)
		t.created(s)
		p := t.next(s, fmt.Sprintf("the event of revision %d", first))
		t.want(len(p.Events) == 1 && p.Events[0].Kv.ModRevision == first, "beside a watch from revision -1 one from revision %d is sent: %s", first, recorded.Describe(p))
		s.Close()
	}
}

func fullWatch(t *try) {
	if !t.server.Compact {
		t.end(NotTried, "it takes the history of the whole store: --compact")
	}
	first := t.put("old", "1")
	t.put("old", "2")
	hold := make(chan struct{})
	s, err := t.rec.Watch(t.ctx, t.server.conn, "probe", hold)
	if err != nil {
		panic(broken{err})
	}
	defer s.Close()
	if err := s.Create(&pb.WatchCreateRequest{Key: t.key("a")}); err != nil {
		panic(broken{err})
	}
	var last int64
	for range slow {
		last = t.put("a", strings.Repeat("x", slowBytes))
	}
	if err := t.compact(last); err != nil {
		t.end(NotOffered, "%v", err)
	}
	t.p.Transcript = nil
	t.say("-> watch %s from revision %d, on a stream of which %d events are not read", t.key("old"), first, slow)
	if err := s.Create(&pb.WatchCreateRequest{Key: t.key("old"), StartRevision: first}); err != nil {
		panic(broken{err})
	}
	// etcd looks for such watches every 100 ms.
	wait(t.ctx, time.Second)
	close(hold)
	id, seen := int64(-1), 0
	for {
		ctx, cancel := context.WithTimeout(t.ctx, patience)
		p := s.Next(ctx)
		cancel()
		t.carriedOut(t.ctx.Err())
		t.want(p != nil, "the end of a watch of compacted history does not come within %v", patience)
		if p.Created {
			if seen++; seen == 2 {
				id = p.WatchId
			}
		}
		if p.Canceled && (p.WatchId == id || seen < 2 && p.Created) {
			t.say("<- %s", recorded.Describe(p))
			t.want(p.CompactRevision > first, "a watch of compacted history ends with: %s", recorded.Describe(p))
			return
		}
	}
}

// compact takes the history below a revision.
func (t *try) compact(revision int64) error {
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	_, err := t.server.kv.Compact(ctx, &pb.CompactionRequest{Revision: revision})
	t.say("-> compact at %d", revision)
	if err != nil {
		t.say("<- %v", err)
		t.carriedOut(err)
	} else {
		t.say("<- compacted")
	}
	return err
}

func compaction(t *try) {
	if !t.server.Compact {
		t.end(NotTried, "it takes the history of the whole store: --compact")
	}
	var made []int64
	for i := range 6 {
		made = append(made, t.put("a", fmt.Sprint(i)))
	}
	if err := t.compact(made[3]); status.Code(err) == codes.Unimplemented {
		t.end(NotOffered, "%v", err)
	} else {
		t.want(err == nil, "a compaction at %d is refused: %v", made[3], err)
	}
	if t.server.report.Kubernetes {
		if r, err := t.ask(&pb.RangeRequest{Key: t.key("a"), Revision: made[2]}); err == nil {
			t.end(NotOffered, "the server answers a request to compact, and still has what is below: %d keys", len(r.(*pb.RangeResponse).Kvs))
		}
	}
	t.want(recorded.Refusal(t.compact(made[2])) == model.Compacted, "a compaction below the compacted revision is not refused as compacted")
	t.want(recorded.Refusal(t.compact(made[5]+unreachable)) == model.Future, "a compaction of the future is not refused as a future revision")
	_, err := t.ask(&pb.RangeRequest{Key: t.key("a"), Revision: made[2]})
	t.want(recorded.Refusal(err) == model.Compacted, "a read of revision %d, which is compacted, is answered %v", made[2], err)
	at := t.list(&pb.RangeRequest{Revision: made[3]})
	t.want(len(at.Kvs) == 1 && string(at.Kvs[0].Value) == "3", "the compacted revision itself shows %v", at.Kvs)
	s := t.stream(t.prefixWatch(made[1]))
	defer s.Close()
	p := t.created(s)
	if !p.Canceled {
		p = t.next(s, "the end of a watch of compacted history")
	}
	t.want(p.Canceled && p.CompactRevision == made[3], "a watch of compacted history is answered: %s", recorded.Describe(p))
	again := t.stream(t.prefixWatch(made[3]))
	defer again.Close()
	t.created(again)
	p = t.next(again, "the event of the compacted revision")
	t.want(len(p.Events) > 0 && p.Events[0].Kv.ModRevision == made[3], "a watch from the compacted revision is sent: %s", recorded.Describe(p))
	gone := t.remove("a")
	t.want(t.compact(gone) == nil, "a compaction at revision %d is refused, that of a deletion", gone)
	deleted := t.stream(t.prefixWatch(gone))
	defer deleted.Close()
	t.created(deleted)
	p = t.next(deleted, "the deletion of the compacted revision")
	t.want(len(p.Events) == 1 && p.Events[0].Type == mvccpb.DELETE, "a watch from the compacted revision, which deleted a key, is sent: %s", recorded.Describe(p))
}

// periodically watches for progress notifications beside all else.
func (s *server) periodically(ctx context.Context) <-chan Promise {
	done := make(chan Promise, 1)
	p := Promise{
		Name: "progress-periodic", Asks: "A quiet watch that wants progress notifications is sent them without a request.", Source: "etcd: --watch-progress-notify-interval",
		Verdict: NotOffered, Sentence: fmt.Sprintf("none came within %v; etcd's default is one every ten minutes", s.Notified),
	}
	go func() {
		defer func() { done <- p }()
		ctx, cancel := context.WithTimeout(ctx, s.Notified)
		defer cancel()
		stream, err := new(recorded.Recorder).Watch(ctx, s.conn, "periodic", nil)
		if err != nil || stream.Create(&pb.WatchCreateRequest{Key: []byte(s.Prefix + "quiet"), ProgressNotify: true}) != nil {
			return
		}
		defer stream.Close()
		for r := stream.Next(ctx); r != nil; r = stream.Next(ctx) {
			if recorded.IsProgress(r) {
				p.Verdict, p.Sentence, p.Checked = Holds, "", 1
				return
			}
		}
	}()
	return done
}
