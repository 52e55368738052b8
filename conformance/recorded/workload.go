package recorded

import (
	"fmt"
	"math/rand/v2"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/watchbed/watchbed/model"
)

// Workload draws the requests of one client.
type Workload struct {
	Rand         *rand.Rand
	Name, Prefix string
	// Kubernetes: the requests of an API server, and no other.
	Kubernetes bool
	// Present: no reads of past revisions, and no serializable ones.
	Present bool
	n       int
	// seen is what this client was shown last of each key, the usual operand of its next transaction; revision is the
	// newest one of an answer.
	seen     map[string]seen
	revision int64
}

type seen struct{ mod, version int64 }

// Names are few, so that most requests meet others on the same key.
var Names = []string{"a", "b", "c", "d"}

// Next is the client's next request.
func (w *Workload) Next() any {
	key := []byte(w.Prefix + Names[w.Rand.IntN(len(Names))])
	switch p := w.Rand.IntN(100); {
	case p < 60 && w.Kubernetes:
		return w.transaction(key)
	case p < 26:
		return &pb.PutRequest{Key: key, Value: w.value(), PrevKv: w.Rand.IntN(4) == 0}
	case p < 34:
		return &pb.DeleteRangeRequest{Key: key, PrevKv: w.Rand.IntN(4) == 0}
	case p < 36:
		return w.deleteMiddle()
	case p < 60:
		return w.transaction(key)
	case p < 74:
		return &pb.RangeRequest{Key: key}
	}
	r := &pb.RangeRequest{Key: []byte(w.Prefix), RangeEnd: []byte(model.PrefixEnd(w.Prefix))}
	switch w.Rand.IntN(8) {
	case 2, 3:
		r.KeysOnly, r.Serializable = !w.Kubernetes && w.Rand.IntN(2) == 0, !w.Kubernetes && !w.Present && w.Rand.IntN(2) == 0
	case 0:
		r.Limit = 1 + w.Rand.Int64N(3)
	case 1:
		r.CountOnly = true
	case 4, 5:
		if !w.Present {
			r.Revision = w.revision
		}
	}
	return r
}

// value is unique in the history, so that a value that is read names its write.
func (w *Workload) value() []byte {
	w.n++
	return fmt.Appendf(nil, "%s.%d", w.Name, w.n)
}

func (w *Workload) deleteMiddle() *pb.DeleteRangeRequest {
	return &pb.DeleteRangeRequest{Key: []byte(w.Prefix + "b"), RangeEnd: []byte(w.Prefix + "d")}
}

// transaction is Kubernetes' create, update or delete, which compare the mod revision, or the same on the version.
func (w *Workload) transaction(key []byte) *pb.TxnRequest {
	known := w.seen[string(key)]
	if put := (&pb.PutRequest{Key: key, Value: w.value()}); w.Kubernetes && (known.mod == 0 || w.Rand.IntN(3) > 0) {
		return WriteIf(put, known.mod)
	} else if w.Kubernetes {
		return DeleteIf(key, known.mod)
	}
	c := ModIs(key, known.mod)
	if w.Rand.IntN(3) == 0 {
		c = &pb.Compare{Key: key, Target: pb.Compare_VERSION, TargetUnion: &pb.Compare_Version{Version: known.version}}
	}
	success := []*pb.RequestOp{OpPut(&pb.PutRequest{Key: key, Value: w.value()})}
	switch {
	case known.mod > 0 && w.Rand.IntN(3) == 0:
		success = []*pb.RequestOp{OpDelete(&pb.DeleteRangeRequest{Key: key})}
	case string(key) == w.Prefix+"a" && w.Rand.IntN(3) == 0:
		// Several changes of one revision. etcd refuses a put into a range that the same transaction deletes.
		success = append(success, OpDelete(w.deleteMiddle()))
	}
	return &pb.TxnRequest{Compare: []*pb.Compare{c}, Success: success, Failure: []*pb.RequestOp{OpRange(&pb.RangeRequest{Key: key})}}
}

// ModIs compares the revision of a key.
func ModIs(key []byte, revision int64) *pb.Compare {
	return &pb.Compare{Key: key, Target: pb.Compare_MOD, TargetUnion: &pb.Compare_ModRevision{ModRevision: revision}}
}

// DeleteIf and WriteIf are the transactions of an API server: of an object that has the revision, 0 if there is none.
func DeleteIf(key []byte, revision int64) *pb.TxnRequest {
	return &pb.TxnRequest{
		Compare: []*pb.Compare{ModIs(key, revision)}, Success: []*pb.RequestOp{OpDelete(&pb.DeleteRangeRequest{Key: key})},
		Failure: []*pb.RequestOp{OpRange(&pb.RangeRequest{Key: key})},
	}
}

func WriteIf(put *pb.PutRequest, revision int64) *pb.TxnRequest {
	t := &pb.TxnRequest{Compare: []*pb.Compare{ModIs(put.Key, revision)}, Success: []*pb.RequestOp{OpPut(put)}}
	if revision > 0 {
		t.Failure = []*pb.RequestOp{OpRange(&pb.RangeRequest{Key: put.Key})}
	}
	return t
}

// OpPut is an operation of a transaction.
func OpPut(r *pb.PutRequest) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestPut{RequestPut: r}}
}

// OpDelete is an operation of a transaction.
func OpDelete(r *pb.DeleteRangeRequest) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestDeleteRange{RequestDeleteRange: r}}
}

// OpRange is an operation of a transaction.
func OpRange(r *pb.RangeRequest) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestRange{RequestRange: r}}
}

// Observe remembers what an answer says of the keys.
func (w *Workload) Observe(request, response any) {
	if w.seen == nil {
		w.seen = map[string]seen{}
	}
	var kvs []*mvccpb.KeyValue
	switch response := response.(type) {
	case *pb.RangeResponse:
		w.revision = max(w.revision, response.Header.GetRevision())
		if r := request.(*pb.RangeRequest); r.RangeEnd == nil {
			delete(w.seen, string(r.Key))
		}
		kvs = response.Kvs
	case *pb.TxnResponse:
		w.revision = max(w.revision, response.Header.GetRevision())
		if key := request.(*pb.TxnRequest).Compare[0].Key; response.Succeeded && w.Kubernetes {
			w.seen[string(key)] = seen{mod: response.Header.GetRevision()}
			if request.(*pb.TxnRequest).Success[0].GetRequestPut() == nil {
				delete(w.seen, string(key))
			}
		} else if !response.Succeeded && len(response.Responses) > 0 {
			delete(w.seen, string(key))
			kvs = response.Responses[0].GetResponseRange().GetKvs()
		}
	}
	for _, kv := range kvs {
		w.seen[string(kv.Key)] = seen{kv.ModRevision, kv.Version}
	}
}
