//go:build wasip1

package main

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
)

type runtimeObject = runtime.Object

// etcdStore is what etcd3.New returns.
type etcdStore interface {
	storage.Interface
}

// traced notes what of etcd is asked on behalf of a request. It changes nothing.
type traced struct{ etcdStore }

type traceKey struct{}

// trace is what was asked of etcd on behalf of a request.
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
