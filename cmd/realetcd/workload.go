package main

import (
	"fmt"
	"math/rand/v2"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
)

// workload draws the requests of one client.
type workload struct {
	rng          *rand.Rand
	name, prefix string
	n            int
	// seen is what this client was shown last of each key, the usual operand of its next transaction; revision is the
	// newest one of an answer.
	seen     map[string]*seen
	revision int64
	// kubernetes: only what an API server sends.
	kubernetes bool
}

type seen struct{ mod, version int64 }

// names are few, so that most requests meet others on the same key.
var names = []string{"a", "b", "c", "d"}

func (w *workload) next() any {
	key := []byte(w.prefix + names[w.rng.IntN(len(names))])
	switch p := w.rng.IntN(100); {
	case p < 60 && w.kubernetes:
		return w.transaction(key)
	case p < 26:
		return &pb.PutRequest{Key: key, Value: w.value(), PrevKv: w.rng.IntN(4) == 0}
	case p < 34:
		return &pb.DeleteRangeRequest{Key: key, PrevKv: w.rng.IntN(4) == 0}
	case p < 36:
		return w.deleteMiddle()
	case p < 60:
		return w.transaction(key)
	case p < 74:
		return &pb.RangeRequest{Key: key}
	}
	r := &pb.RangeRequest{Key: []byte(w.prefix), RangeEnd: end(w.prefix)}
	switch w.rng.IntN(8) {
	case 2, 3:
		r.KeysOnly, r.Serializable = !w.kubernetes && w.rng.IntN(2) == 0, !w.kubernetes && w.rng.IntN(2) == 0
	case 0:
		r.Limit = 1 + w.rng.Int64N(3)
	case 1:
		r.CountOnly = true
	case 4, 5:
		r.Revision = w.revision
	}
	return r
}

// value is unique in the history, so that a value that is read names its write.
func (w *workload) value() []byte {
	w.n++
	return fmt.Appendf(nil, "%s.%d", w.name, w.n)
}

func (w *workload) deleteMiddle() *pb.DeleteRangeRequest {
	return &pb.DeleteRangeRequest{Key: []byte(w.prefix + "b"), RangeEnd: []byte(w.prefix + "d")}
}

// transaction is Kubernetes' create, update or delete, which compare the mod revision, or the same on the version.
func (w *workload) transaction(key []byte) *pb.TxnRequest {
	known := w.seen[string(key)]
	if known == nil {
		known = &seen{}
	}
	if put := (&pb.PutRequest{Key: key, Value: w.value()}); w.kubernetes && (known.mod == 0 || w.rng.IntN(3) > 0) {
		return writing(put, known.mod)
	} else if w.kubernetes {
		return deletion(key, known.mod)
	}
	c := modIs(key, known.mod)
	if w.rng.IntN(3) == 0 {
		c = &pb.Compare{Key: key, Target: pb.Compare_VERSION, TargetUnion: &pb.Compare_Version{Version: known.version}}
	}
	success := []*pb.RequestOp{opPut(&pb.PutRequest{Key: key, Value: w.value()})}
	switch {
	case known.mod > 0 && w.rng.IntN(3) == 0:
		success = []*pb.RequestOp{opDelete(&pb.DeleteRangeRequest{Key: key})}
	case string(key) == w.prefix+"a" && w.rng.IntN(3) == 0:
		// Several changes of one revision. etcd refuses a put into a range that the same transaction deletes.
		success = append(success, opDelete(w.deleteMiddle()))
	}
	return &pb.TxnRequest{Compare: []*pb.Compare{c}, Success: success, Failure: []*pb.RequestOp{opRange(&pb.RangeRequest{Key: key})}}
}

func modIs(key []byte, revision int64) *pb.Compare {
	return &pb.Compare{Key: key, Target: pb.Compare_MOD, TargetUnion: &pb.Compare_ModRevision{ModRevision: revision}}
}

// deletion and writing are the transactions of an API server: of an object that has the revision, 0 if there is none.
func deletion(key []byte, revision int64) *pb.TxnRequest {
	return &pb.TxnRequest{
		Compare: []*pb.Compare{modIs(key, revision)}, Success: []*pb.RequestOp{opDelete(&pb.DeleteRangeRequest{Key: key})},
		Failure: []*pb.RequestOp{opRange(&pb.RangeRequest{Key: key})},
	}
}

func writing(put *pb.PutRequest, revision int64) *pb.TxnRequest {
	t := &pb.TxnRequest{Compare: []*pb.Compare{modIs(put.Key, revision)}, Success: []*pb.RequestOp{opPut(put)}}
	if revision > 0 {
		t.Failure = []*pb.RequestOp{opRange(&pb.RangeRequest{Key: put.Key})}
	}
	return t
}

func opPut(r *pb.PutRequest) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestPut{RequestPut: r}}
}

func opDelete(r *pb.DeleteRangeRequest) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestDeleteRange{RequestDeleteRange: r}}
}

func opRange(r *pb.RangeRequest) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestRange{RequestRange: r}}
}

// observe remembers what an answer says of the keys.
func (w *workload) observe(request, response any) {
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
		if key := request.(*pb.TxnRequest).Compare[0].Key; response.Succeeded && w.kubernetes {
			w.seen[string(key)] = &seen{mod: response.Header.GetRevision()}
			if request.(*pb.TxnRequest).Success[0].GetRequestPut() == nil {
				delete(w.seen, string(key))
			}
		} else if !response.Succeeded && len(response.Responses) > 0 {
			delete(w.seen, string(key))
			kvs = response.Responses[0].GetResponseRange().GetKvs()
		}
	}
	for _, kv := range kvs {
		w.seen[string(kv.Key)] = &seen{kv.ModRevision, kv.Version}
	}
}
