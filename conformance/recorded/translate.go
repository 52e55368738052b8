package recorded

import (
	clientv3 "go.etcd.io/etcd/client/v3"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/watchbed/watchbed/model"
)

// operation is the clientv3 form of a request, nested ones included.
func operation(r *model.Request) clientv3.Op {
	switch r.Kind {
	case model.Put:
		return clientv3.OpPut(r.Key, r.Value)
	case model.Delete:
		return clientv3.OpDelete(r.Key, rangeOption(r)...)
	case model.Txn:
		return clientv3.OpTxn(comparisons(r.Compare), operations(r.Success), operations(r.Failure))
	default:
		return clientv3.OpGet(r.Key, readOptions(r)...)
	}
}

func operations(rs []model.Request) []clientv3.Op {
	var ops []clientv3.Op
	for i := range rs {
		ops = append(ops, operation(&rs[i]))
	}
	return ops
}

func rangeOption(r *model.Request) []clientv3.OpOption {
	if r.End == "" {
		return nil
	}
	return []clientv3.OpOption{clientv3.WithRange(r.End)}
}

func readOptions(r *model.Request) []clientv3.OpOption {
	opts := append(rangeOption(r), clientv3.WithLimit(r.Limit))
	if r.CountOnly {
		opts = append(opts, clientv3.WithCountOnly())
	}
	if r.KeysOnly {
		opts = append(opts, clientv3.WithKeysOnly())
	}
	return opts
}

func comparisons(cs []model.Compare) []clientv3.Cmp {
	relation := map[model.CompareOp]string{model.Equal: "=", model.NotEqual: "!=", model.Greater: ">", model.Less: "<"}
	var cmps []clientv3.Cmp
	for _, c := range cs {
		target := clientv3.ModRevision(c.Key)
		if c.Target == model.CompareVersion {
			target = clientv3.Version(c.Key)
		}
		cmps = append(cmps, clientv3.Compare(target, relation[c.Op], c.Operand))
	}
	return cmps
}

// result is what the model calls the answer to a request. A Get carries no
// revision there: Kubernetes shows a reader of one object the object's own.
func result(r *model.Request, resp clientv3.OpResponse) *model.Result {
	switch r.Kind {
	case model.Put:
		return &model.Result{Revision: resp.Put().Header.Revision}
	case model.Delete:
		return &model.Result{Revision: resp.Del().Header.Revision, Deleted: resp.Del().Deleted}
	case model.Txn:
		return transactionResult(r, resp.Txn())
	default:
		res := readResult((*pb.RangeResponse)(resp.Get()))
		if r.Kind == model.List {
			res.Revision = resp.Get().Header.Revision
		}
		return &res
	}
}

func transactionResult(r *model.Request, resp *clientv3.TxnResponse) *model.Result {
	res := &model.Result{Revision: resp.Header.Revision, Succeeded: resp.Succeeded}
	for _, one := range resp.Responses {
		var out model.Result
		switch {
		case one.GetResponseDeleteRange() != nil:
			out.Deleted = one.GetResponseDeleteRange().Deleted
		case one.GetResponseRange() != nil:
			out = readResult(one.GetResponseRange())
		}
		res.Results = append(res.Results, out)
	}
	return res
}

func readResult(resp *pb.RangeResponse) model.Result {
	res := model.Result{Count: resp.Count, More: resp.More}
	for _, kv := range resp.Kvs {
		res.Items = append(res.Items, item(kv))
	}
	return res
}

func item(kv *mvccpb.KeyValue) *model.Item {
	return &model.Item{
		Key:            string(kv.Key),
		Value:          string(kv.Value),
		CreateRevision: kv.CreateRevision,
		ModRevision:    kv.ModRevision,
		Version:        kv.Version,
	}
}
