package wire

// Header is etcdserverpb.ResponseHeader without the revision, which each answer has itself. It never changes: answers
// share it. Digests leave it out, since the connection of an answer and the faults so far say what it is.
type Header struct {
	// ClusterID and MemberID are those of the member that answers, RaftTerm is the term that it was in then.
	ClusterID, MemberID, RaftTerm int64
}

// Headed is what answers of etcd have. An answer within an answer has no header.
type Headed struct{ Header *Header }

// Stamp gives an answer its header.
func (h *Headed) Stamp(by *Header) { h.Header = by }

// From is the header, nil if there is none.
func (h *Headed) From() *Header { return h.Header }
