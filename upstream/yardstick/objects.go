package yardstick

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/etcd3"
	"k8s.io/apiserver/pkg/storage/value"

	"github.com/watchbed/watchbed/sim/wire"
)

// objects makes objects of what etcd holds.
type objects struct {
	transformer value.Transformer
	decoder     etcd3.Decoder
}

// read makes a key-value an object with a resourceVersion.
func (o *objects) read(ctx context.Context, kv *wire.KeyValue, version int64, into runtime.Object) error {
	data, _, err := o.transformer.TransformFromStorage(ctx, []byte(kv.Value), value.DefaultContext(kv.Key))
	if err != nil {
		return storage.NewInternalError(err)
	}
	return o.decoder.Decode(data, into, version)
}
