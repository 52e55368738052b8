package apiserver

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
)

type runtimeObject = runtime.Object

// etcdStore is what etcd3.New returns.
type etcdStore interface {
	storage.Interface
	Close()
}

// traced notes which kinds of reads the storage sends to etcd for a request, and passes each of them on.
type traced struct{ etcdStore }

type traceKey struct{}

// trace is which kinds of reads of etcd a request has caused.
type trace struct{ revision, object bool }

func traceOf(ctx context.Context) *trace {
	if t, ok := ctx.Value(traceKey{}).(*trace); ok {
		return t
	}
	return &trace{}
}

// GetCurrentResourceVersion implements storage.Interface.
func (s traced) GetCurrentResourceVersion(ctx context.Context) (uint64, error) {
	traceOf(ctx).revision = true
	return s.etcdStore.GetCurrentResourceVersion(ctx)
}

// GetList implements storage.Interface.
func (s traced) GetList(ctx context.Context, key string, opts storage.ListOptions, into runtime.Object) error {
	traceOf(ctx).object = true
	return s.etcdStore.GetList(ctx, key, opts, into)
}

// Get implements storage.Interface.
func (s traced) Get(ctx context.Context, key string, opts storage.GetOptions, into runtime.Object) error {
	traceOf(ctx).object = true
	return s.etcdStore.Get(ctx, key, opts, into)
}
