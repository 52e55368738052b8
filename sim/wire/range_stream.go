package wire

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
)

// RangeStreamRequest is the request of etcd's KV.RangeStream: a Range whose answer comes in
// parts, on a stream of its own. The server closes it behind the last part.
type RangeStreamRequest struct{ Range *RangeRequest }

func (r *RangeStreamRequest) Digest(d sim.Digest) sim.Digest { return r.Range.Digest(d.Text("stream")) }
func (r *RangeStreamRequest) Label() string                  { return "streamed " + r.Range.Label() }

// RangeStreamResponse is etcdserverpb.RangeStreamResponse: a part of the answer. Only the last
// one has a header with a Revision, More and Count, which are those of all parts together.
type RangeStreamResponse struct {
	// Revision is 0 in a part that has no header.
	Revision int64
	Kvs      []*KeyValue
	More     bool
	Count    int64
}

func (r *RangeStreamResponse) Objects() int { return len(r.Kvs) }

func (r *RangeStreamResponse) Digest(d sim.Digest) sim.Digest {
	return digestKVs(d.Text("chunk").Int(r.Revision).Bool(r.More).Int(r.Count), r.Kvs)
}

func (r *RangeStreamResponse) Label() string {
	label := "chunk of " + strconv.Itoa(len(r.Kvs)) + " items"
	if r.Revision != 0 {
		label += ", the last, rev " + itoa(r.Revision)
	}
	return label
}
