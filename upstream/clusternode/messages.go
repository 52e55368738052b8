package clusternode

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// Raft is a message of raft from one member to another one.
type Raft struct {
	// Lane is the stream that it goes on, From the raft id of the sender.
	Lane byte
	From uint64
	// Type, Term, Index, Entries, Commit and Reject are those of raftpb.Message. Bytes is all of it.
	Type, Entries       int
	Term, Index, Commit uint64
	Reject              bool
	Bytes               string
}

// Digest implements sim.Payload.
func (m *Raft) Digest(d sim.Digest) sim.Digest {
	return d.Text("raft").Word(uint64(m.Lane)).Word(m.From).Text(m.Bytes)
}

// raftTypes are the names of raftpb.MessageType.
var raftTypes = []string{
	"MsgHup", "MsgBeat", "MsgProp", "MsgApp", "MsgAppResp", "MsgVote", "MsgVoteResp", "MsgSnap", "MsgHeartbeat", "MsgHeartbeatResp", "MsgUnreachable",
	"MsgSnapStatus", "MsgCheckQuorum", "MsgTransferLeader", "MsgTimeoutNow", "MsgReadIndex", "MsgReadIndexResp", "MsgPreVote", "MsgPreVoteResp",
	"MsgStorageAppend", "MsgStorageAppendResp", "MsgStorageApply", "MsgStorageApplyResp", "MsgForgetLeader",
}

// Label implements sim.Payload.
func (m *Raft) Label() string {
	name := m.Name()
	text := name
	if m.Term > 0 {
		// What is forwarded to the leader has no term.
		text += fmt.Sprintf(" of term %d", m.Term)
	}
	switch name {
	case "MsgApp":
		entries := "entries"
		if m.Entries == 1 {
			entries = "entry"
		}
		text += fmt.Sprintf(", %d %s after index %d, commit %d", m.Entries, entries, m.Index, m.Commit)
	case "MsgAppResp", "MsgVote", "MsgPreVote":
		text += fmt.Sprintf(", index %d", m.Index)
	}
	if m.Reject {
		text += ", rejected"
	}
	return text
}

// ofLeader reports whether a leader alone sends such a message.
func (m *Raft) ofLeader() bool { return m.Name() == "MsgApp" || m.Name() == "MsgHeartbeat" }

// Name is that of the type.
func (m *Raft) Name() string {
	if m.Type < len(raftTypes) {
		return raftTypes[m.Type]
	}
	return fmt.Sprintf("message %d", m.Type)
}

// Join has a machine start the member ID of a cluster that there is, whose members are then at these places.
type Join struct {
	ID     uint64
	Places []int
}

// Digest implements sim.Payload.
func (m *Join) Digest(d sim.Digest) sim.Digest {
	d = d.Text("join").Word(m.ID)
	for _, p := range m.Places {
		d = d.Int(int64(p))
	}
	return d
}

// Label implements sim.Payload.
func (m *Join) Label() string { return fmt.Sprintf("start the member %x", m.ID) }

// names reports whether a place is in what a process is told of the cluster. If m is nil that is the initial one, of so
// many.
func (m *Join) names(place, initial int) bool {
	if m == nil {
		return place < initial
	}
	return slices.Contains(m.Places, place)
}

// Disaster has a machine lose its member and its disk, or restart the one that is left with --force-new-cluster.
type Disaster struct{ Survives bool }

// Digest implements sim.Payload.
func (m *Disaster) Digest(d sim.Digest) sim.Digest { return d.Text("disaster").Bool(m.Survives) }

// Label implements sim.Payload.
func (m *Disaster) Label() string {
	if m.Survives {
		return "restart with --force-new-cluster"
	}
	return "lose the machine"
}

// Joined answers Join and Disaster.
type Joined struct{}

// Digest implements sim.Payload.
func (*Joined) Digest(d sim.Digest) sim.Digest { return d.Text("joined") }

// Label implements sim.Payload.
func (*Joined) Label() string { return "the machine has been told" }

// Gone tells a member that it has been removed.
type Gone struct{ By uint64 }

// Digest implements sim.Payload.
func (m *Gone) Digest(d sim.Digest) sim.Digest { return d.Text("gone").Word(m.By) }

// Label implements sim.Payload.
func (*Gone) Label() string { return "the member has been removed" }

// Snapshot is a snapshot of a member, with the database of its backend.
type Snapshot struct {
	From, Term, Index uint64
	Bytes, Database   string
	// Lies: a bit of the disk from which it was read has changed.
	Lies bool
}

// Digest implements sim.Payload.
func (m *Snapshot) Digest(d sim.Digest) sim.Digest {
	return d.Text("snapshot").Word(m.From).Text(m.Bytes).Text(m.Database)
}

// Label implements sim.Payload.
func (m *Snapshot) Label() string {
	return fmt.Sprintf("snapshot of index %d in term %d, %d bytes", m.Index, m.Term, len(m.Database))
}

// SnapshotTaken answers Snapshot.
type SnapshotTaken struct{ OK bool }

// Digest implements sim.Payload.
func (m *SnapshotTaken) Digest(d sim.Digest) sim.Digest { return d.Text("taken").Bool(m.OK) }

// Label implements sim.Payload.
func (m *SnapshotTaken) Label() string {
	if !m.OK {
		return "snapshot not taken"
	}
	return "snapshot taken"
}

// Header is a header of HTTP.
type Header struct{ Name, Value string }

func digestHeaders(d sim.Digest, all []Header) sim.Digest {
	for _, h := range all {
		d = d.Text(h.Name).Text(h.Value)
	}
	return d
}

func readHeaders(r *protocol.Reader) (all []Header) {
	for range r.Int() {
		all = append(all, Header{r.Text(), r.Text()})
	}
	return all
}

func writeHeaders(w *protocol.Writer, all []Header) *protocol.Writer {
	w.Int(int64(len(all)))
	for _, h := range all {
		w.Text(h.Name).Text(h.Value)
	}
	return w
}

// PeerRequest is an HTTP request of one member to another one.
type PeerRequest struct {
	Method, Path, Body string
	Headers            []Header
}

// Digest implements sim.Payload.
func (m *PeerRequest) Digest(d sim.Digest) sim.Digest {
	return digestHeaders(d.Text("http").Text(m.Method).Text(m.Path).Text(m.Body), m.Headers)
}

// Label implements sim.Payload.
func (m *PeerRequest) Label() string { return m.Method + " " + m.Path }

// PeerResponse answers PeerRequest.
type PeerResponse struct {
	Status  int
	Headers []Header
	Body    string
}

// Digest implements sim.Payload.
func (m *PeerResponse) Digest(d sim.Digest) sim.Digest {
	return digestHeaders(d.Text("http").Int(int64(m.Status)).Text(m.Body), m.Headers)
}

// Label implements sim.Payload.
func (m *PeerResponse) Label() string { return fmt.Sprintf("HTTP status %d", m.Status) }
