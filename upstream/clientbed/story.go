package clientbed

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/stories"
)

var _ stories.Bed = (*subject)(nil)

// Records implements stories.Bed.
func (s *subject) Records() (tool, scenario string, parameters []option.Setting) {
	guest, _ := guests.AtLocks(s.config.Guest)
	c := s.config
	c.Guest = ""
	return "clientbed", s.config.Guest, stories.Parameters(c, guest)
}

// Line implements stories.Bed: what clients ask and are answered, what processes and etcd say to each other, and which
// goroutines of a process did so. Keep-alives are left out.
func (s *subject) Line(w *sim.World, e *sim.Event) stories.Line {
	switch e.Kind {
	case sim.Noted:
		if _, ran := e.Note.(Ran); ran {
			return stories.Line{Text: e.Note.Text(w), Aside: true}
		}
		switch sim.NoteName(e.Note) {
		case "lease.RanOut", "workload.OperationBegan", "workload.OperationEnded":
			return stories.Line{Text: e.Note.Text(w)}
		}
		// The world's own notes are about what breaks.
		if e.Node == 0 {
			return stories.Line{Text: e.Note.Text(w)}
		}
	case sim.Sent:
		m := &e.Message
		if between := m.From == etcdNode || m.To == etcdNode; between && !keepsAlive(m.Payload) {
			return stories.Line{Text: "tells " + w.NodeName(m.To) + ": " + m.Payload.Label()}
		}
	}
	return stories.Line{}
}

func keepsAlive(p sim.Payload) bool {
	switch p.(type) {
	case *wire.LeaseKeepAliveRequest, *wire.LeaseKeepAliveResponse:
		return true
	}
	return false
}
