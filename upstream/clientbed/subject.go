package clientbed

import (
	"fmt"
	"math"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/workload"
)

// subject implements explore.Subject: one etcd, the processes, and their clients, in this order of nodes.
type subject struct {
	config Config
	server etcd.Config

	etcd      *etcd.Server
	processes []*Node
	clients   []*workload.Client
	faults    []sim.Fault
	// applied has the last tick before etcd had each revision.
	applied []int64

	judge    linearizability.Judge
	findings []explore.Finding
}

var _ explore.Subject = (*subject)(nil)

// etcdNode is the number of etcd, firstProcess that of the first process.
const (
	etcdNode     sim.NodeID = 1
	firstProcess sim.NodeID = 2
)

func newSubject(c Config, server etcd.Config, module *engine.Module, locks bool) *subject {
	s := &subject{config: c, server: server, etcd: etcd.New(server)}
	for i := range c.Processes {
		guest, err := module.NewGuest()
		if err != nil {
			// The self-test has run it.
			panic(err)
		}
		s.processes = append(s.processes, New(etcdNode, guest, locks))
		node := firstProcess + sim.NodeID(i)
		s.faults = append(s.faults,
			&sim.Partition{One: []sim.NodeID{node}, Other: []sim.NodeID{etcdNode}, Label: "between " + processName(i) + " and etcd"},
			&sim.BreakStream{From: []sim.NodeID{node}, To: etcdNode, Label: processName(i) + ">etcd"})
		for range c.Clients {
			s.clients = append(s.clients, new(workload.Client))
		}
	}
	return s
}

func processName(i int) string { return fmt.Sprintf("process-%d", i+1) }

// Options implements explore.Subject.
func (s *subject) Options() sim.Options {
	bounds := func(network sim.Duration) sim.Bounds {
		return sim.Bounds{Network: sim.Delay{Max: network, Steps: delaySteps}}
	}
	return sim.Options{Mode: sim.Timed, Safety: bounds(s.config.Network), Liveness: bounds(s.config.Network / 10)}
}

// delaySteps is how finely a delay is chosen: few values shrink well, and the
// order of events is what matters.
const delaySteps = 4

// Build implements explore.Subject.
func (s *subject) Build(w *sim.World) {
	s.etcd.Reset(s.server)
	s.applied = s.applied[:0]
	w.Add("etcd", s.etcd)
	for i, p := range s.processes {
		p.Reset()
		w.Add(processName(i), p)
	}
	for i, c := range s.clients {
		process := i / s.config.Clients
		c.Reset(fmt.Sprintf("client-%d.%d", process+1, i%s.config.Clients+1), i, nil, 0)
		c.Draws(s.draw(c.Name(), firstProcess+sim.NodeID(process)))
		w.Add(c.Name(), c)
	}
	for i, f := range s.faults {
		times := s.config.Breaks
		if i%2 == 0 {
			// It begins, and it ends.
			times = 2 * s.config.Partitions
		}
		w.AddFault(f, sim.Budget{Times: times, Within: s.config.For})
	}
}

// After implements explore.Subject.
func (s *subject) After(*sim.World, sim.Action) {
	if s.server.InitialRevision+int64(len(s.applied)) == s.etcd.Revision() {
		return
	}
	tick := int64(0)
	for _, c := range s.clients {
		if ops := c.Operations(); len(ops) > 0 {
			last := &ops[len(ops)-1]
			if tick = max(tick, last.Call); last.Return != math.MaxInt64 {
				tick = max(tick, last.Return)
			}
		}
	}
	for s.server.InitialRevision+int64(len(s.applied)) < s.etcd.Revision() {
		s.applied = append(s.applied, tick)
	}
}

// Over implements explore.Subject.
func (s *subject) Over(w *sim.World) bool {
	if w.Phase() == sim.Safety && w.Now() >= sim.Time(s.config.For) {
		w.Heal()
	}
	for _, c := range s.clients {
		if !c.Done() {
			return w.Now() >= sim.Time(s.config.Horizon)
		}
	}
	return true
}
