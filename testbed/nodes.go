package testbed

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/client/etcd3"
	"github.com/watchbed/watchbed/sim/compactor"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/option"
)

// Nodes are the options of the nodes that are simulated.
type Nodes struct {
	Etcd   etcd.Options
	Client client.Options
	Cache  cache.Options
	// Informers and Compactors are what clients and API servers have done otherwise;
	// what else is set of them is in Params.
	Informers  informer.Deviations
	Compactors compactor.Deviations
}

// nodeGroup is all options of the nodes.
var nodeGroup = option.Join(
	option.Lift(etcd.Group, func(n *Nodes) *etcd.Options { return &n.Etcd }),
	option.Lift(client.Group, func(n *Nodes) *client.Options { return &n.Client }),
	option.Lift(cache.Group, func(n *Nodes) *cache.Options { return &n.Cache }),
	option.Lift(informer.Choices, func(n *Nodes) *informer.Deviations { return &n.Informers }),
	option.Lift(compactor.Choices, func(n *Nodes) *compactor.Deviations { return &n.Compactors }))

// nodeChoices are those with named values: in what versions and designs differ.
var nodeChoices = slices.DeleteFunc(slices.Clone(nodeGroup), func(o option.Option[Nodes]) bool { return o.Form != "" })

// Choice is an option of a node with named values, and the value that it has.
type Choice struct {
	// Node is "etcd", "client", "cache", "informers" or "compactor".
	Node, Name, Value string
	Values            []string
	// Off are the values with which the code of the option does not run.
	Off []string
}

// Choices lists them in a fixed order.
func (n *Nodes) Choices() []Choice {
	all := make([]Choice, len(nodeChoices))
	for i := range nodeChoices {
		o := &nodeChoices[i]
		all[i] = Choice{Node: o.Node, Name: o.Name, Value: o.Get(n)}
		for _, v := range o.Values() {
			all[i].Values = append(all[i].Values, v.Name)
			if v.IsOff {
				all[i].Off = append(all[i].Off, v.Name)
			}
		}
	}
	return all
}

// Value is that of an option of a node. It is empty if there is none of the name.
func (n *Nodes) Value(name string) string {
	o, err := nodeGroup.Find(name)
	if err != nil {
		return ""
	}
	return o.Get(n)
}

// Nodes is what the versions and the design come to, with the masks, the settings,
// the bugs and what the members of this version have on top of them, in this order:
// the options of etcd, and of each API server that has none of its own. It returns an
// error if there is none of such a name, or if two bugs want different values of one
// option.
func (p *Params) Nodes() (Nodes, error) {
	n, err := p.equalNodes()
	if err != nil {
		return n, err
	}
	echoes := n.Cache.ProgressRequests == progress.Echo
	if len(p.Topology.ServerSettings) > 0 {
		echoes = echoes && p.Faults.Replacements > 0
		for _, name := range p.Topology.ServerNames() {
			s, err := p.server(name)
			if err != nil {
				return n, err
			}
			echoes = echoes || s.Cache.ProgressRequests == progress.Echo
		}
	}
	if _, set := p.override("progress-echo"); !set && echoes {
		// The design is one of etcd as well.
		n.Etcd.Watch.EchoesID = true
	}
	return n, p.Topology.SetMember(p.Etcd, &n.Etcd)
}

// equalNodes are the options of the nodes without those that belong to one of several.
func (p *Params) equalNodes() (Nodes, error) {
	var n Nodes
	var err error
	if n.Etcd, err = etcd.OptionsOf(p.Etcd); err != nil {
		return n, err
	}
	if n.Client, err = client.OptionsOf(p.ClientVersion()); err != nil {
		return n, err
	}
	if n.Cache, err = cache.ForDesign(p.Cache); err != nil {
		return n, err
	}
	design, err := cache.FindDesign(p.Cache)
	if err != nil {
		return n, err
	}
	for _, s := range design.Storage {
		if err := etcd3.Group.Set(&n.Client.Watcher, s.Name, s.Value); err != nil {
			return n, err
		}
	}
	ignored, err := p.ignoredBy()
	if err != nil {
		return n, err
	}
	for _, s := range append(p.masks(), p.Settings...) {
		if ignored(s.Name, s.Value) != "" {
			continue
		}
		if err := nodeGroup.Set(&n, s.Name, s.Value); err != nil {
			return n, err
		}
	}
	bugs, err := presetsOf(p.Bugs)
	if err != nil {
		return n, err
	}
	for _, b := range bugs {
		for _, s := range b.Settings {
			if by := ignored(s.Name, s.Value); by != "" {
				return n, fmt.Errorf("the bug %s is %s, an option that %s does not read", b.Name, s, by)
			}
		}
	}
	return n, nodeGroup.ApplyAll(&n, bugs...)
}

// ignoredBy returns a function that says which node is other code than the simulated one and does not read an
// option, or not this value of it; it is empty if none is.
func (p *Params) ignoredBy() (func(option, value string) string, error) {
	design, err := cache.FindDesign(p.Cache)
	if err != nil {
		return nil, err
	}
	served, err := p.program()
	if err != nil {
		return nil, err
	}
	return func(option, value string) string {
		switch {
		case ignores(design, option, value):
			return "the node of the cache design " + design.Name
		case served != nil && served.Ignores(option):
			return "the program " + served.Name
		}
		return ""
	}, nil
}

// ignores reports whether a setting does not reach the API servers of a design: one of its own node's options, or of
// the etcd3 watcher if the node brings another one.
func ignores(d *cache.Design, name, value string) bool {
	return d.Ignores(name, value) || d.Storage != nil && etcd3.Group.Lookup(name) != nil && !d.IsTold(name, value)
}

// Ignores says which node is other code than the simulated one and does not read an option, or not this value of
// it, empty if none is. Without a value it is asked whether any would be read.
func (p *Params) Ignores(option, value string) string {
	ignored, err := p.ignoredBy()
	if err != nil {
		return ""
	}
	return ignored(option, value)
}

// Has reports whether a bug changes nothing: the release and the design have it
// already. It is false for a bug that cannot be planted.
func (p *Params) Has(bug string) bool {
	with := *p
	with.Bugs = append(with.Bugs[:len(with.Bugs):len(with.Bugs)], bug)
	before, err := p.Nodes()
	if err != nil {
		return false
	}
	after, err := with.Nodes()
	return err == nil && after == before
}

// override is the value that a bug, a setting or a mask gives an option of the
// nodes, in this order; ok is false if the version or the design decides.
func (p *Params) override(name string) (value string, ok bool) {
	for _, bug := range p.Bugs {
		if b, err := FindBug(bug); err == nil && b.Planting().Name == name {
			return b.Planting().Value, true
		}
	}
	return option.ValueIn(append(p.masks(), p.Settings...), name)
}

// Setup is what parameters come to: what is known to be violated depends on it.
type Setup struct {
	Params *Params
	// Nodes are the options of etcd, and of the client library and the cache of an API
	// server: what version, design, masks, settings and bugs come to, each on top of
	// those before.
	Nodes Nodes
	// Servers are the options of each API server, if they are not the same, and of those
	// that come in their place.
	Servers []Nodes
}

// Setup computes what the parameters come to. The error is that of Nodes.
func (p *Params) Setup() (*Setup, error) {
	n, err := p.Nodes()
	s := &Setup{Params: p, Nodes: n}
	if err != nil || len(p.Topology.ServerSettings) == 0 {
		return s, err
	}
	servers, err := p.Servers()
	for i := range servers {
		s.Servers = append(s.Servers, servers[i].Nodes)
	}
	if p.Faults.Replacements > 0 {
		s.Servers = append(s.Servers, n)
	}
	return s, err
}

// ofServers are the setups with the options of one API server each.
func (s *Setup) ofServers() []*Setup {
	if len(s.Servers) == 0 {
		return []*Setup{s}
	}
	var all []*Setup
	for _, n := range s.Servers {
		all = append(all, &Setup{Params: s.Params, Nodes: n})
	}
	return all
}
