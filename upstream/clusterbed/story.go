package clusterbed

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/clusternode"
	"github.com/watchbed/watchbed/upstream/node"
	"github.com/watchbed/watchbed/upstream/protocol"
	"github.com/watchbed/watchbed/upstream/stories"
)

var _ stories.Bed = (*subject)(nil)

// Records implements stories.Bed.
func (s *subject) Records() (tool, scenario string, parameters []option.Setting) {
	c := s.config
	c.Guests = nil
	return "clusterbed", strings.Join(s.config.Guests, " "), stories.Parameters(c, s.config.guests()...)
}

// Line implements stories.Bed: what clients ask and are answered, what members say to each other and to clients, what
// becomes of their processes and disks, and which goroutines ran out of turn. What members say again and again is left
// out, and what they ask each other over HTTP.
func (s *subject) Line(w *sim.World, e *sim.Event) (l stories.Line) {
	switch e.Kind {
	case sim.Noted:
		_, said := e.Note.(sim.Said)
		if said && sim.NoteName(e.Note) != "workload.OperationBegan" || e.Node == 0 {
			l.Text = e.Note.Text(w)
		}
	case sim.Chosen:
		if e.Picked > 0 && s.isMember(e.Node) {
			l.Text, l.Object = node.Told(e.Text)
			l.Aside = true
		}
	case sim.Sent:
		l = s.sent(w, &e.Message)
	}
	if padding := s.config.padding(); padding != "" {
		l.Text = strings.ReplaceAll(l.Text, padding, "...")
	}
	return l
}

func (s *subject) isMember(n sim.NodeID) bool {
	return n >= firstMember && n < firstMember+sim.NodeID(s.config.machines())
}

// sent is the line of a message.
func (s *subject) sent(w *sim.World, m *sim.Message) (l stories.Line) {
	to, label := w.NodeName(m.To), m.Payload.Label()
	payload := m.Payload
	if as, is := payload.(*clusternode.As); is {
		payload = as.Payload
	}
	switch p := payload.(type) {
	case *clusternode.Raft:
		if s.isNews(m.From, p) {
			l.Text, l.Object = "sends "+label+" to ", to
		}
		return l
	case *clusternode.Snapshot, *clusternode.SnapshotTaken, *clusternode.Gone:
		l.Text = "tells " + to + ": " + label
	case *clusternode.Request:
		if p.Op != protocol.OpMemberList {
			l.Text, l.Asks = "asks "+to+": "+label, p.Op == protocol.OpStatus
		}
	case *clusternode.Response:
		switch {
		case p.Op == protocol.OpMemberList:
		case p.Op != protocol.OpStatus || s.isNew(fmt.Sprintf("%d tells %d", m.From, m.To), label):
			l.Text, l.Answers = "tells "+to+": "+label, m.To
		}
	case *clusternode.Join, *clusternode.Auth, *wire.LeaseGrantRequest, *wire.LeaseKeepAliveRequest:
		l.Text = "asks " + to + ": " + label
	case *wire.LeaseGrantResponse, *wire.LeaseKeepAliveResponse, *wire.WatchResponse:
		l.Text = "tells " + to + ": " + label
	case *wire.WatchCreateRequest:
		// Watchers ask again and again.
		if m.From >= s.firstCache() {
			l.Text = "asks " + to + ": " + label
		}
	default:
		_, hangup := p.(*sim.Hangup)
		_, failed := p.(*wire.Error)
		switch {
		case hangup || failed:
		case s.isMember(m.To) && s.isClient(w, m.From):
			l.Text = "asks " + to + ": " + label
		case s.isMember(m.From) && to == auditorName:
			l.Text = "tells " + to + ": " + label
		}
	}
	return l
}

// isClient reports whether a node carries out a program, or is the auditor.
func (s *subject) isClient(w *sim.World, n sim.NodeID) bool {
	first := firstMember + sim.NodeID(s.config.machines())
	return n >= first && n < first+sim.NodeID(s.config.Clients) || strings.HasPrefix(w.NodeName(n), "reader-") || w.NodeName(n) == auditorName
}

// isNews reports whether a message of raft says what none has said before it: an append that has no entry, and the
// acknowledgement of what has been acknowledged, say nothing, as heartbeats and reads do.
func (s *subject) isNews(from sim.NodeID, p *clusternode.Raft) bool {
	if p.Reject {
		return true
	}
	switch p.Name() {
	case "MsgHeartbeat", "MsgHeartbeatResp", "MsgReadIndex", "MsgReadIndexResp", "MsgProp":
		return false
	case "MsgApp":
		return p.Entries > 0
	case "MsgAppResp":
		return s.isNew(fmt.Sprintf("%d acknowledges in term %d", from, p.Term), p.Index)
	}
	return true
}

// isNew reports whether something is otherwise than the story last said it.
func (s *subject) isNew(what string, is any) bool {
	was, known := s.said[what]
	s.said[what] = is
	return !known || was != is
}
