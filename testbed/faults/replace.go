package faults

import "github.com/watchbed/watchbed/sim"

// Nodes are those of a world.
type Nodes interface{ Node(id sim.NodeID) sim.Node }

// Replaceable is the process of an API server in whose place one with other options may
// come.
type Replaceable interface {
	// Generation is how often it was replaced in a world.
	Generation(in Nodes) int
	// Ready reports whether it serves.
	Ready(in Nodes) bool
	// Reconfigure gives its nodes the options of the next one.
	Reconfigure(in Nodes)
}

// Server is the process of an API server, as faults need it.
type Server interface {
	Replaceable
	// WatchClients are the nodes that open its watch streams with etcd: its client library, or caches that bring one of
	// their own.
	WatchClients() []sim.NodeID
}

// replace ends the process of an API server and starts one with other options in its
// place. Servers are replaced in order, as in a rollout: each once before any of them
// twice, and none before the one that was replaced last is ready.
type replace struct {
	all   []Replaceable
	which int
	nodes []sim.NodeID
	label string
}

// Name implements sim.Fault.
func (f *replace) Name() string { return "replace " + f.label }

// Ready implements sim.Fault.
func (f *replace) Ready(w *sim.World) bool {
	own := f.all[f.which].Generation(w)
	for i, s := range f.all {
		if !s.Ready(w) && i != f.which || i < f.which && s.Generation(w) != own+1 || i > f.which && s.Generation(w) != own {
			return false
		}
	}
	return true
}

var (
	replaced     = sim.NewSituation("an API server is replaced by one with other options")
	replacedBack = sim.NewSituation("an API server is replaced by one with the options of the one before the last")
)

// Strike implements sim.Fault.
func (f *replace) Strike(env *sim.Env) {
	server := f.all[f.which]
	env.Cover(replaced)
	if server.Generation(env) > 0 {
		env.Cover(replacedBack)
	}
	server.Reconfigure(env)
	(&sim.RestartProcess{Nodes: f.nodes, Label: f.label}).Strike(env)
}
