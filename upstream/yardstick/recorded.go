package yardstick

import (
	"context"
	"strings"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"
)

// ListsOf is a KV whose lists of a prefix go through the interface that the etcd3 store lists with. Upstream's tests
// count the lists there that a cache sends to etcd.
func ListsOf(kv clientv3.KV, lists kubernetes.Interface, prefix string) clientv3.KV {
	return &listsOf{kv, lists, prefix}
}

type listsOf struct {
	clientv3.KV
	lists kubernetes.Interface
	// prefix is that of the resource.
	prefix string
}

// Get implements clientv3.KV.
func (k *listsOf) Get(ctx context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	op := clientv3.OpGet(key, opts...)
	prefix, isList := k.prefixOf(key, string(op.RangeBytes()))
	if !isList || op.IsCountOnly() || op.IsKeysOnly() {
		return k.KV.Get(ctx, key, opts...)
	}
	asked := kubernetes.ListOptions{Revision: op.Rev(), Limit: op.Limit()}
	if key != prefix {
		asked.Continue = key
	}
	l, err := k.lists.List(ctx, prefix, asked)
	if err != nil {
		return nil, err
	}
	return &clientv3.GetResponse{
		Header: &pb.ResponseHeader{Revision: l.Revision}, Kvs: l.Kvs, Count: l.Count, More: int64(len(l.Kvs)) < l.Count,
	}, nil
}

// prefixOf is the prefix of which a range is the rest.
func (k *listsOf) prefixOf(key, end string) (prefix string, isList bool) {
	for at := len(key); at >= len(k.prefix); at = strings.LastIndex(key[:at-1], "/") + 1 {
		if key[:at] != "" && strings.HasSuffix(key[:at], "/") && clientv3.GetPrefixRangeEnd(key[:at]) == end {
			return key[:at], true
		}
		if at == 0 {
			break
		}
	}
	return "", false
}
