package story

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/topology"
)

// Happening is what steps of several stories have in common, whatever the run, the node, the
// key and the revision: a node of this tier says something of this kind, or a fault strikes.
// The happenings of a story say how it came about, in words that another story has, too.
type Happening struct {
	// Where is "client", "cache", "client library", "etcd" or "fault".
	Where string
	// What is the Go type of a note, or the name of a fault.
	What string
}

// Example is a happening in one story.
type Example struct {
	Happening
	// Node and Text are those of the first line that tells it.
	Node, Text string
}

// Happenings are those of a story, each once, in their order.
func (s *Story) Happenings() []Example {
	var all []Example
	for i := range s.Lines {
		for _, e := range s.happenings(&s.Lines[i]) {
			if !slices.ContainsFunc(all, func(x Example) bool { return x.Happening == e.Happening }) {
				all = append(all, e)
			}
		}
	}
	return all
}

func (s *Story) happenings(line *Line) []Example {
	step := &s.Run.Trace.Steps[line.Step-1]
	if len(line.Says) == 0 {
		return []Example{{Happening{"fault", step.Activity}, line.Node, line.Text}}
	}
	where := ClientTier
	if node, ok := s.Run.Trace.Node(line.Node); ok {
		where = s.Run.Tiers[node]
	}
	var all []Example
	for _, note := range step.Notes {
		what := sim.NoteName(note.Value)
		// A line leaves out what the node says that does not matter.
		told := slices.ContainsFunc(line.Says, func(n sim.Note) bool { return sim.NoteName(n) == what })
		if told && s.Run.Trace.Nodes[note.Node] == line.Node {
			all = append(all, Example{Happening{where.String(), what}, line.Node, note.Text})
		}
	}
	return all
}

// Masked names what masks a race of etcd in a run with these parameters.
func Masked(p *testbed.Params) []string {
	var names []string
	for _, r := range p.Masked() {
		names = append(names, r.String())
	}
	return names
}

// Settings are the options of the nodes that are set on top of version and design,
// without those that a bug takes the place of, and what one API server has of its own.
func Settings(p *testbed.Params) []string {
	n, err := p.Nodes()
	if err != nil {
		return nil
	}
	var list []string
	for _, s := range p.Settings {
		if n.Value(s.Name) == s.Value {
			list = append(list, s.String())
		}
	}
	return append(list, p.Topology.ServerSettings...)
}

// parties are the names of the nodes that play a part.
type parties map[string]bool

// parties are the nodes of the steps that are marked in one of these parts of the run.
// Other nodes may go through the same revision: another API server takes in the same
// event.
func (r *Run) parties(parts ...[]bool) parties {
	p := parties{}
	for _, part := range parts {
		for i, in := range part {
			if in {
				p[r.Trace.Nodes[r.Trace.Steps[i].Node]] = true
			}
		}
	}
	return p
}

// concern reports whether the note of a node concerns nodes that play a part alone:
// that one and the client whose watch it is about.
func (p parties) concern(node string, n sim.Note) bool {
	s, ok := n.(sim.Subject)
	return p[node] && (!ok || s.About().Client == "" || p[s.About().Client])
}

// Tier is how far a node is from the clients, as reads travel.
type Tier int

// Clients and whatever else is not named ask the caches, these ask etcd through a
// client library.
const (
	ClientTier Tier = iota
	CacheTier
	LibraryTier
	EtcdTier
)

var tierNames = [...]string{ClientTier: "client", CacheTier: "cache", LibraryTier: "client library", EtcdTier: "etcd"}

func (t Tier) String() string { return tierNames[t] }

// Tiers lists them as reads travel.
func Tiers() []Tier { return []Tier{ClientTier, CacheTier, LibraryTier, EtcdTier} }

// TiersOf places the nodes that are not clients.
func TiersOf(t *topology.Topology) map[sim.NodeID]Tier {
	tiers := map[sim.NodeID]Tier{t.Etcd: EtcdTier, t.Watches: EtcdTier}
	for _, server := range t.APIServers {
		tiers[server.Client] = LibraryTier
		for _, c := range server.Caches {
			tiers[c] = CacheTier
		}
	}
	return tiers
}
