package apiserver

import (
	"fmt"

	"k8s.io/apimachinery/pkg/sharding"
	"k8s.io/apiserver/pkg/storage"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// shard is the part of all objects that a request is for (KEP-5866): those of which the writer has a hash from from on
// and below to. to is 0 for the end of all hashes.
type shard struct {
	some     bool
	by       string
	from, to uint64
}

// readShard reads the shard of a request, and puts it into the predicate as registry.Store does.
func readShard(r *protocol.Reader, p *storage.SelectionPredicate) shard {
	if !r.Bool() {
		return shard{}
	}
	s := shard{true, r.Text(), uint64(r.Int()), uint64(r.Int())}
	end := "0x10000000000000000"
	if s.to != 0 {
		end = fmt.Sprintf("0x%016x", s.to)
	}
	p.ShardSelector = sharding.NewSelector(sharding.ShardRangeRequirement{
		Key: "object.metadata.uid", Start: fmt.Sprintf("0x%016x", s.from), End: end,
	})
	return s
}

// write writes the shard behind the objects of a list that says to be of one.
func (s shard) write(w *protocol.Writer, list *objectList) {
	w.Bool(s.some && list.ShardInfo != nil)
	if s.some && list.ShardInfo != nil {
		w.Text(s.by).Int(int64(s.from)).Int(int64(s.to))
	}
}
