package clusterbed

import (
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"

	"github.com/watchbed/watchbed/upstream/clusternode"
	"github.com/watchbed/watchbed/upstream/stories"
)

var _ stories.Bed = (*subject)(nil)

// Records implements stories.Bed.
func (s *subject) Records() (tool, scenario string, parameters []option.Setting) {
	return "clusterbed", s.config.scenario(), s.config.parameters()
}

// Line implements stories.Bed: what clients ask and are answered, what members say to each other and to clients, what becomes of their processes and
// disks, and which goroutines ran. Heartbeats are left out, and what members ask each other over HTTP.
func (s *subject) Line(w *sim.World, e *sim.Event) (text string, aside bool) {
	text, aside = s.line(w, e)
	if padding := s.config.padding(); padding != "" {
		text = strings.ReplaceAll(text, padding, "...")
	}
	return text, aside
}

func (s *subject) line(w *sim.World, e *sim.Event) (text string, aside bool) {
	switch e.Kind {
	case sim.Noted:
		switch n := e.Note.(type) {
		case clusternode.Ran:
			return n.Text(w), true
		case sim.Said, workload.OperationBegan, workload.OperationEnded:
			return n.Text(w), false
		}
		if e.Node == 0 {
			return e.Note.Text(w), false
		}
	case sim.Sent:
		m := &e.Message
		payload := m.Payload
		if as, is := payload.(*clusternode.As); is {
			payload = as.Payload
		}
		switch p := payload.(type) {
		case *clusternode.Raft:
			if p.Beats() {
				return "", false
			}
		case *clusternode.Snapshot, *clusternode.SnapshotTaken, *clusternode.Gone, *clusternode.Request, *clusternode.Auth, *clusternode.Response, *clusternode.Join,
			*wire.LeaseGrantRequest, *wire.LeaseGrantResponse, *wire.LeaseKeepAliveRequest, *wire.LeaseKeepAliveResponse:
		case *wire.WatchCreateRequest:
			if m.From < s.firstCache() {
				// Watchers ask again and again.
				return "", false
			}
		case *wire.WatchResponse:
			return "tells " + w.NodeName(m.To) + ": " + p.Label(), false
		default:
			return "", false
		}
		return "tells " + w.NodeName(m.To) + ": " + m.Payload.Label(), false
	}
	return "", false
}
