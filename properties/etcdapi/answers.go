package etcdapi

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// Answers compares the whole answer to each request with what the model answers at the revision in its header: items,
// counts, flags, and the results of each operation of a transaction, at whatever revision it reads, and what there is
// to say of a lease. Which revision it is must fit the time of the request, but for a serializable read: it is none
// before what any member had applied, since a watch may have shown that. The revision of a keep-alive is a revision of
// the answering member between the request and the answer. A refusal must have its reason. A malformed or too large
// request must be refused, and so must a request that reads a revision compacted before the request, or that
// compacts it again. The chunks of a RangeStream grow and shrink by their bytes: see chunksFit. It is exercised by
// answers and refusals.
var Answers = testbed.RegisterProperty(&testbed.Property{
	Name: "etcd-answers", Kind: testbed.Safety,
	Promise: "etcd answers each request as its contents at the revision of the answer say, and refuses it only with a reason. " +
		"A chunk of a RangeStream has twice as many keys as the one before if that was smaller than half of the largest request, half as many if it was larger than two of them.",
	Violated: "wrong answer of etcd",
	Labels:   map[string]string{"refusal": "refused without a reason", "accepted": "not refused", "revision": "wrong revision", "answer": "wrong contents", "chunks": "chunks of the wrong size"},
	Weight:   1,
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New:      testbed.RecordedBy(newAnswers, (*answers).judgeAll),
})

// defaultMaxRequestBytes is the default of etcd's flag --max-request-bytes.
const defaultMaxRequestBytes = 1_572_864

type answers struct {
	system   *testbed.System
	evidence *evidence.Recorder
	// most is how many bytes a write has at most.
	most int
	// streams: the release knows RangeStream.
	streams bool
}

func newAnswers(s *testbed.System) *answers {
	nodes := s.Nodes()
	return &answers{s, evidence.Of(s), cmp.Or(nodes.Etcd.Write.MaxRequestBytes, defaultMaxRequestBytes), nodes.Etcd.Streams.Served}
}

func (j *answers) judgeAll(_ *sim.World, all *testbed.Tally) {
	for o := range j.system.Operations() {
		if at := j.evidence.Of(o); j.system.Topology().IsEtcd(at.To) && o.Outcome != model.Unknown {
			all.Exercised++
			j.judge(all, o.Client.Name(), o.Operation, o.Message, at)
			if wrong := j.chunksFit(o.Span.Chunks); wrong != "" && o.Outcome == model.Done {
				o.Violate(all, "chunks", "%s's %s %s", o.Request.Kind, wrong)
			}
		}
	}
}

// Digest is where etcd was when each request was asked that it has still to answer.
func (j *answers) Digest(d sim.Digest) sim.Digest {
	for i, c := range j.system.Clients() {
		if at := j.evidence.Open(i); at == nil || !j.system.Topology().IsEtcd(at.To) {
			d = d.Bool(false)
		} else {
			d = d.Bool(true).Int(at.Asked.Visible).Int(at.Asked.Applied).Int(at.Asked.Compacted)
			spans := c.Spans()
			for _, chunk := range spans[len(spans)-1].Chunks {
				d = d.Int(int64(len(chunk.Kvs)))
			}
		}
	}
	return d
}

// chunksFit says which chunk of a RangeStream has another number of keys than it must, nothing if none has (etcd 3.7,
// adjustChunkLimit). The last one may have fewer. What protobuf adds to keys and values is not counted, but bounded: in
// between nothing is said.
func (j *answers) chunksFit(chunks []*wire.RangeStreamResponse) string {
	const added = 64
	for i := 1; i < len(chunks); i++ {
		before, bytes := len(chunks[i-1].Kvs), 0
		for _, kv := range chunks[i-1].Kvs {
			bytes += len(kv.Key) + len(kv.Value)
		}
		least, most := max(1, before/2), 2*before
		switch {
		case bytes+added*(before+1) < j.most/2:
			least = most
		case bytes > 2*j.most:
			most = least
		}
		if n := len(chunks[i].Kvs); n > most || n < least && i < len(chunks)-1 {
			return fmt.Sprintf("has %d keys in chunk %d, behind %d of %d bytes and more; a request has %d bytes at most", n, i+1, before, bytes, j.most)
		}
	}
	return ""
}

func (j *answers) judge(all *testbed.Tally, client string, op *model.Operation, request sim.Payload, at *evidence.Call) {
	label, wrong := "", ""
	if op.Outcome == model.Failed {
		label, wrong = "refusal", j.refusedWrongly(op, request, at)
	} else if label, wrong = revisionFits(op, request, at); wrong == "" {
		label, wrong = j.fits(op, request, at)
	}
	about := testbed.Concern{Node: client, Revision: op.Result.Revision, Key: op.Request.Key}
	switch {
	case wrong == "":
	case op.Outcome == model.Failed:
		all.Violatef(label, about, "%s was refused its %v (%v), but %s", client, op.Request.Kind, op.Result.Err, wrong)
	default:
		all.Violatef(label, about, "%s was answered its %v at revision %d, but %s", client, op.Request.Kind, op.Result.Revision, wrong)
	}
}

// refusedWrongly says why a refusal has no reason, nothing if it has one.
func (j *answers) refusedWrongly(op *model.Operation, request sim.Payload, at *evidence.Call) string {
	r := op.Request
	switch op.Result.Err {
	case model.Invalid:
		if aboutLeases(r) && !j.tooLarge(op, request) {
			return j.leaseRefused(r, at)
		}
		if !j.malformed(r, request) && !j.tooLarge(op, request) && !j.lacksLease(r, at) && j.kept(r, at) {
			return "it is well-formed, and not too large, and etcd has the leases that it names and what it keeps"
		}
	case model.Compacted:
		if _, streams := request.(*wire.RangeStreamRequest); streams && at.Answered.Compacted > oldest(request, at) {
			// The revision of its first chunk was compacted before its last one was read.
			return ""
		}
		// etcd refuses to compact at the same revision twice.
		if !slices.ContainsFunc(revisionsOf(r), func(rev int64) bool {
			return rev < at.Answered.Compacted || r.Kind == model.Compact && rev == at.Answered.Compacted
		}) {
			return fmt.Sprintf("etcd was compacted at revision %d only", at.Answered.Compacted)
		}
	case model.Future:
		if !slices.ContainsFunc(revisionsOf(r), func(rev int64) bool { return rev > at.Asked.Visible }) {
			return fmt.Sprintf("etcd was at revision %d when it was asked", at.Asked.Visible)
		}
	}
	return ""
}

// malformed reports whether etcd has to refuse a request whatever its contents are. A stream has the order of the keys
// and is of all revisions.
func (j *answers) malformed(r *model.Request, request sim.Payload) bool {
	if s, streams := request.(*wire.RangeStreamRequest); streams {
		ordered := s.Range.SortOrder != wire.SortNone && (s.Range.SortOrder != wire.SortAscend || s.Range.SortTarget != wire.SortByKey)
		bounded := s.Range.MinModRevision != 0 || s.Range.MaxModRevision != 0 || s.Range.MinCreateRevision != 0 || s.Range.MaxCreateRevision != 0
		if !j.streams || ordered || bounded {
			return true
		}
	}
	return r.Malformed()
}

// kept reports whether the contents always had what the puts of a request keep, from when it
// was asked until it was answered.
func (j *answers) kept(r *model.Request, at *evidence.Call) bool {
	log := j.system.Truth().Log()
	for rev := max(at.Asked.Applied, log.First()); rev <= min(at.Answered.Revision, log.Revision()); rev++ {
		if !log.At(rev).Keeps(r) {
			return false
		}
	}
	return true
}

// tooLarge reports whether etcd has to refuse a write for its size. What only reads is not
// proposed to raft.
func (j *answers) tooLarge(op *model.Operation, request sim.Payload) bool {
	return !onlyReads(op.Request) && proposalSize(request) > j.most
}

// onlyReads: a transaction within a transaction is a proposal whatever it does.
func onlyReads(r *model.Request) bool {
	writes := func(r model.Request) bool { return r.Kind == model.Txn || !onlyReads(&r) }
	switch r.Kind {
	case model.Put, model.Delete, model.Compact, model.LeaseGrant, model.LeaseRevoke:
		return false
	case model.Txn:
		return !slices.ContainsFunc(r.Success, writes) && !slices.ContainsFunc(r.Failure, writes)
	}
	return true
}

// revisionsOf are the revisions in a request: its own, and those of the operations of a
// transaction.
func revisionsOf(r *model.Request) []int64 {
	var all []int64
	if r.Revision > 0 {
		all = append(all, r.Revision)
	}
	for _, branch := range [...][]model.Request{r.Success, r.Failure} {
		for i := range branch {
			all = append(all, revisionsOf(&branch[i])...)
		}
	}
	return all
}

// oldestRead is the oldest revision that an answered request has read at by its number.
func oldestRead(r *model.Request, res *model.Result) int64 {
	oldest := int64(math.MaxInt64)
	if r.Freshness == model.Exact {
		oldest = r.Revision
	}
	if r.Kind == model.Txn {
		for i, op := range r.Branch(res.Succeeded) {
			if i < len(res.Results) {
				oldest = min(oldest, oldestRead(&op, &res.Results[i]))
			}
		}
	}
	return oldest
}

// revisionFits holds the revision of an answer against etcd's revisions between request and answer.
func revisionFits(op *model.Operation, request sim.Payload, at *evidence.Call) (label, wrong string) {
	switch rev := op.Result.Revision; {
	case rev > at.Answered.Revision:
		return "revision", fmt.Sprintf("etcd was at revision %d when the answer came", at.Answered.Revision)
	case rev < oldest(request, at):
		return "revision", fmt.Sprintf("a member of etcd was at revision %d when it was asked", oldest(request, at))
	}
	return "", ""
}

// oldest is the oldest revision that an answer may have.
func oldest(request sim.Payload, at *evidence.Call) int64 {
	switch _, keepsAlive := request.(*wire.LeaseKeepAliveRequest); {
	case keepsAlive:
		// The member makes the header when the request comes (LeaseServer.leaseKeepAlive), before
		// anything tells it what others have applied.
		return at.Asked.Visible
	case serializable(request):
		return 0
	}
	return at.Asked.Applied
}

// serializable reports whether a request may be served from any state. A transaction is
// served like its reads if it has nothing else in both branches.
func serializable(request sim.Payload) bool {
	switch r := request.(type) {
	case *wire.RangeRequest:
		return r.Serializable
	case *wire.RangeStreamRequest:
		return r.Range.Serializable
	case *wire.TxnRequest:
		return !slices.ContainsFunc(slices.Concat(r.Success, r.Failure), func(op wire.RequestOp) bool { return op.Range == nil || !op.Range.Serializable })
	}
	return false
}

// fits holds an answer against the model.
func (j *answers) fits(op *model.Operation, request sim.Payload, at *evidence.Call) (label, wrong string) {
	switch {
	case j.malformed(op.Request, request):
		return "accepted", "it is malformed and has to be refused"
	case j.tooLarge(op, request):
		return "accepted", fmt.Sprintf("it has %d bytes, more than %d, and has to be refused", proposalSize(request), j.most)
	}
	if rev := op.Request.Revision; op.Request.Kind == model.Compact {
		switch {
		case rev <= at.Asked.Compacted:
			return "accepted", fmt.Sprintf("etcd was compacted at revision %d before, and has to refuse to compact at %d", at.Asked.Compacted, rev)
		case rev > at.Answered.Revision:
			return "accepted", fmt.Sprintf("etcd was at revision %d, and has to refuse to compact at %d", at.Answered.Revision, rev)
		}
		return "", ""
	}
	if aboutLeases(op.Request) {
		return "answer", j.leaseFits(op, at)
	}
	if rev := oldestRead(op.Request, op.Result); rev < at.Asked.Compacted && !serializable(request) {
		return "accepted", fmt.Sprintf("it reads at revision %d, and etcd was compacted at revision %d before", rev, at.Asked.Compacted)
	}
	log := j.system.Truth().Log()
	if op.Result.Revision < log.First() {
		return "revision", fmt.Sprintf("the contents before the run have revision %d", log.First())
	}
	for _, want := range log.Answers(op.Request, op.Result) {
		if want.Equal(op.Result) {
			return "", ""
		}
	}
	return "answer", "no such answer fits the contents at its revision"
}

// aboutLeases reports whether a request is about a lease and not about keys.
func aboutLeases(r *model.Request) bool {
	switch r.Kind {
	case model.LeaseGrant, model.LeaseRevoke, model.LeaseKeepAlive, model.LeaseTimeToLive:
		return true
	}
	return false
}

// leaseRefused says why a refusal of a request about a lease has no reason, nothing if it
// has one.
func (j *answers) leaseRefused(r *model.Request, at *evidence.Call) string {
	log := j.system.Truth().Log()
	all, none := log.Leases(r.Lease, at.Asked.Applied, at.Answered.Revision)
	switch _, grants := model.Grants(r.TTL); {
	case r.Kind == model.LeaseGrant && grants && len(all) == 0:
		return "there was no such lease"
	case r.Kind == model.LeaseRevoke && !none:
		return "there was such a lease all the time"
	}
	return ""
}

// lacksLease reports whether one of the leases that puts of a request name may have been
// missing while it was under way.
func (j *answers) lacksLease(r *model.Request, at *evidence.Call) bool {
	if r.Kind == model.Put && r.Lease != 0 {
		if _, none := j.system.Truth().Log().Leases(r.Lease, at.Asked.Applied, at.Answered.Revision); none {
			return true
		}
	}
	lacks := func(op model.Request) bool { return j.lacksLease(&op, at) }
	return slices.ContainsFunc(r.Success, lacks) || slices.ContainsFunc(r.Failure, lacks)
}

// leaseFits holds the answer to a request about a lease against the leases that there were.
func (j *answers) leaseFits(op *model.Operation, at *evidence.Call) string {
	r, res, log := op.Request, op.Result, j.system.Truth().Log()
	all, none := log.Leases(r.Lease, at.Asked.Applied, at.Answered.Revision)
	is := func(fits func(l *model.Lease) bool) bool {
		return slices.ContainsFunc(all, func(l model.Lease) bool { return fits(&l) })
	}
	switch r.Kind {
	case model.LeaseGrant:
		ttl, _ := model.Grants(r.TTL)
		switch {
		case r.Lease != 0 && res.Lease.ID != r.Lease:
			return fmt.Sprintf("the lease has the id %d", res.Lease.ID)
		case res.Lease.TTL != ttl:
			return fmt.Sprintf("the lease lives for %d s, and not %d", res.Lease.TTL, ttl)
		case !log.Changed(res.Lease.ID, res.Revision, true):
			return fmt.Sprintf("no lease %d was granted at that revision", res.Lease.ID)
		}
	case model.LeaseRevoke:
		if !log.Changed(r.Lease, res.Revision, false) {
			return fmt.Sprintf("no lease %d was revoked at that revision", r.Lease)
		}
	case model.LeaseKeepAlive:
		switch {
		case res.Lease.ID != r.Lease:
			return fmt.Sprintf("it is about lease %d", res.Lease.ID)
		case res.Lease.TTL == 0 && !none:
			return fmt.Sprintf("there was a lease %d all the time", r.Lease)
		case res.Lease.TTL != 0 && !is(func(l *model.Lease) bool { return l.TTL == res.Lease.TTL }):
			return fmt.Sprintf("there was no lease %d of %d s", r.Lease, res.Lease.TTL)
		}
	case model.LeaseTimeToLive:
		switch {
		case res.Lease.ID != r.Lease:
			return fmt.Sprintf("it is about lease %d", res.Lease.ID)
		case res.Lease.TTL < 0 && !none:
			return fmt.Sprintf("there was a lease %d all the time", r.Lease)
		case res.Lease.TTL >= 0 && !is(func(l *model.Lease) bool { return l.TTL == res.Lease.Granted }):
			return fmt.Sprintf("there was no lease %d of %d s", r.Lease, res.Lease.Granted)
		case res.Lease.TTL >= 0 && res.Lease.TTL > res.Lease.Granted+j.promotedFor():
			return "more time is left than was granted"
		case res.Lease.TTL >= 0 && r.Keys && !j.hadKeys(op, at):
			return fmt.Sprintf("lease %d never had the keys %q meanwhile", r.Lease, res.Lease.Keys)
		}
	}
	return ""
}

// promotedFor is what a new leader adds to the time of a lease, in seconds: an election
// timeout.
func (j *answers) promotedFor() int64 {
	return int64((j.system.ElectionTimeout() + time.Second - 1) / time.Second)
}

// hadKeys reports whether a lease had the keys of an answer at some time while the request was
// under way. The header of the answer is made after it.
func (j *answers) hadKeys(op *model.Operation, at *evidence.Call) bool {
	log := j.system.Truth().Log()
	for rev := max(at.Asked.Applied, log.First()); rev <= min(op.Result.Revision, log.Revision()); rev++ {
		if slices.Equal(log.At(rev).Attached(op.Request.Lease), op.Result.Lease.Keys) {
			return true
		}
	}
	return false
}
