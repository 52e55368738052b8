package wire

import "github.com/watchbed/watchbed/sim"

// CompactRevKey is the key by which the API servers agree which one compacts. Its
// version is the number of compactions, its value the revision of the last one.
const CompactRevKey = "compact_rev_key"

// CompactRevisionRequest asks the compactor of the same process up to which
// revision it knows etcd to be compacted: storage.Interface.CompactRevision.
type CompactRevisionRequest struct {
	// Above holds the answer back until the revision is above this one, which
	// makes news of an answer. -1 asks for what there is.
	Above int64
}

func (r *CompactRevisionRequest) Digest(d sim.Digest) sim.Digest {
	return d.Text("compact revision?").Int(r.Above)
}

func (r *CompactRevisionRequest) Label() string { return "compact revision" }

// CompactRevisionResponse is the answer.
type CompactRevisionResponse struct {
	// Revision is 0 if the compactor knows of no compaction.
	Revision int64
}

func (r *CompactRevisionResponse) Digest(d sim.Digest) sim.Digest {
	return d.Text("compact revision").Int(r.Revision)
}

func (r *CompactRevisionResponse) Label() string { return "compact revision " + itoa(r.Revision) }
