package apiserver

import (
	"k8s.io/apiserver/pkg/storage"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// shard: Kubernetes knows of none before 1.36.
type shard struct{}

func readShard(r *protocol.Reader, _ *storage.SelectionPredicate) shard {
	if r.Bool() {
		r.Text()
		r.Int()
		r.Int()
	}
	return shard{}
}

func (shard) write(w *protocol.Writer, _ *objectList) { w.Bool(false) }
