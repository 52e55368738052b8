// Package faults (unstable) says what may break in a run, and spreads it over
// the processes.
//
// The order of the faults is part of every run's hash. The package must never
// import testbed or workload.
package faults

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed/topology"
)

// Plan is what may break, in the order in which it is added to the world.
type Plan []Fault

// Fault is a fault with how often and for how long it may strike.
type Fault struct {
	sim.Fault
	Budget sim.Budget
}

// Informer is an informer that may lose its watch, or restart.
type Informer struct {
	ID   sim.NodeID
	Name string
	// Servers are the caches that it watches, one after the other.
	Servers []sim.NodeID
}

// New plans the faults of a topology with these informers and API servers. What etcd is
// downgraded to is given as a member.
func New(o *Options, t *topology.Topology, informers []Informer, servers []Server, orders Orders, downgraded etcd.Member) Plan {
	p := &planner{options: o, topology: t, apiServers: servers, orders: orders}
	p.informers(informers)
	p.servers()
	p.replacements()
	p.etcd(downgraded)
	p.partitions()
	return p.plan
}

// Build adds the faults to a world.
func (p Plan) Build(w *sim.World) {
	for _, f := range p {
		w.AddFault(f.Fault, f.Budget)
	}
}

// The names in faults of the member that takes reads and writes, and of its follower.
const etcdName, followerName = "etcd", "etcd-follower"

type planner struct {
	options  *Options
	topology *topology.Topology
	// apiServers are those of the topology, in its order.
	apiServers []Server
	orders     Orders
	plan       Plan
}

func (p *planner) add(f sim.Fault, times int) {
	if times > 0 {
		p.plan = append(p.plan, Fault{f, sim.Budget{Times: times, Within: p.options.For}})
	}
}

// share is the part of a number of faults that falls to the i-th of so many
// processes: they are spread evenly, and the first ones take the rest.
func share(faults, i, processes int) int {
	n := faults / processes
	if i < faults%processes {
		n++
	}
	return n
}

func (p *planner) informers(all []Informer) {
	for i, n := range all {
		f, half := &wherever{name: "break watch of " + n.Name}, &wherever{name: "half-open watch of " + n.Name}
		for _, to := range n.Servers {
			watch := sim.BreakStream{From: []sim.NodeID{n.ID}, To: to}
			f.each, half.each = append(f.each, &watch), append(half.each, &sim.HalfOpen{BreakStream: watch})
		}
		p.add(f, share(p.options.InformerBreaks, i, len(all)))
		p.add(half, share(p.options.InformerHalfOpens, i, len(all)))
		p.add(&sim.RestartProcess{Nodes: []sim.NodeID{n.ID}, Label: n.Name}, share(p.options.InformerRestarts, i, len(all)))
		// Each strikes at a time of its own: due faults come one after the other.
		for k := range share(p.options.InformerRefusals, i, len(all)) {
			p.add(refuse(fmt.Sprintf("%s (%d)", n.Name, k+1), &n, &sim.Refuse{Kinds: len(refusals), Refusal: refusal}), 1)
		}
		for k := range share(p.options.InformerOverloads, i, len(all)) {
			p.add(refuse(fmt.Sprintf("lists of %s (%d)", n.Name, k+1), &n, &sim.Refuse{Kinds: 1, Refusal: busy, Calls: true}), 1)
		}
	}
	storm := &sim.RestartProcess{Label: "all informers"}
	for _, n := range all {
		storm.Nodes = append(storm.Nodes, n.ID)
	}
	p.add(storm, p.options.InformerStorms)
}

func (p *planner) servers() {
	all := p.topology.APIServers
	for i := range all {
		server, label := &all[i], topology.ServerName(i, len(all))
		stream := func(member sim.NodeID) *sim.BreakStream {
			return &sim.BreakStream{From: p.apiServers[i].WatchClients(), To: member, Label: topology.Numbered("client", i, len(all)) + ">etcd"}
		}
		p.add(p.atEndpoint(func(member sim.NodeID) sim.Fault { return stream(member) }), share(p.options.Breaks, i, len(all)))
		p.add(p.atEndpoint(func(member sim.NodeID) sim.Fault { return &sim.HalfOpen{BreakStream: *stream(member)} }),
			share(p.options.HalfOpens, i, len(all)))
		p.add(&sim.RestartProcess{Nodes: server.Nodes(), Label: label}, share(p.options.Restarts, i, len(all)))
		p.add(cache.RecreateStorage(server.Caches[0], label), share(p.options.Recreations, i, len(all)))
	}
	for i := range all {
		p.add(p.atEndpoint(func(member sim.NodeID) sim.Fault {
			return p.orders.EndStream(member, "etcd>"+topology.Numbered("client", i, len(all)), p.apiServers[i].WatchClients())
		}), share(p.options.StreamEnds, i, len(all)))
		p.add(p.atEndpoint(func(member sim.NodeID) sim.Fault {
			return etcd.DenyWatch(member, topology.Numbered("client", i, len(all)), p.apiServers[i].WatchClients())
		}), share(p.options.WatchRefusals, i, len(all)))
		p.add(p.breakingCalls(i), share(p.options.CallBreaks, i, len(all)))
	}
	for resource := range p.topology.Resources {
		for i := range all {
			p.add(p.losing(i, resource), share(p.options.LostEvents, resource*len(all)+i, p.topology.Resources*len(all)))
		}
	}
}

// atEndpoint is a fault of the watch streams of an API server, at the members that it may
// have them with.
func (p *planner) atEndpoint(at func(member sim.NodeID) sim.Fault) sim.Fault {
	var each []sim.Fault
	for _, member := range p.topology.WatchEndpoints(0) {
		each = append(each, at(member))
	}
	if len(each) == 1 {
		return each[0]
	}
	return &wherever{each[0].Name(), each}
}

// breakingCalls has a caller of a client library go away. That of one which a cache brings itself
// is a client of the cache.
func (p *planner) breakingCalls(server int) sim.Fault {
	of := &p.topology.APIServers[server]
	to := []sim.NodeID{of.Client}
	for _, cache := range of.Caches {
		if p.hasLibrary(server, cache) {
			to = append(to, cache)
		}
	}
	return &sim.BreakCall{To: to, Label: topology.Numbered("client", server, len(p.topology.APIServers))}
}

// hasLibrary reports whether a cache of an API server may bring a client library of its own.
func (p *planner) hasLibrary(server int, cache sim.NodeID) bool {
	return slices.Contains(p.apiServers[server].WatchClients(), cache)
}

// losing is about an event on its way to a cache, or about what it leaves there.
func (p *planner) losing(server, resource int) sim.Fault {
	of := &p.topology.APIServers[server]
	to, name := of.Caches[resource], p.topology.CacheName(server, resource)
	if p.options.Lost == lostSnapshot {
		return cache.LoseSnapshot(to, name)
	}
	lost := losses[p.options.Lost]
	from := []sim.NodeID{of.Client}
	if p.hasLibrary(server, to) {
		from = append(from, p.topology.WatchEndpoints(server)...)
	}
	return lost.onTheWay(from, to, name, topology.Prefix(resource))
}

func (p *planner) replacements() {
	servers := make([]Replaceable, len(p.apiServers))
	for i, s := range p.apiServers {
		servers[i] = s
	}
	for i, s := range p.topology.APIServers {
		p.add(&replace{all: servers, which: i, nodes: s.Nodes(), label: topology.ServerName(i, len(servers))},
			share(p.options.Replacements, i, len(servers)))
	}
}

// etcd is about etcd, and about the watch of the first API server, which may be
// clogged.
func (p *planner) etcd(downgraded etcd.Member) {
	node, until := p.topology.Etcd, sim.Time(p.options.For)
	p.eachAsked(p.options.EtcdRestarts, func(member sim.NodeID, label string) sim.Fault {
		return &sim.RestartProcess{Nodes: []sim.NodeID{member}, Label: label}
	})
	if lagging := p.topology.Watches; lagging != node {
		p.add(&sim.RestartProcess{Nodes: []sim.NodeID{lagging}, Label: followerName}, p.options.FollowerRestarts)
	}
	p.add(etcd.InstallSnapshot(node, etcdName), p.options.Snapshots)
	p.add(&etcd.RestoreBackup{Node: node, Label: etcdName}, p.options.Restores)
	if p.options.Clog {
		p.add(p.atEndpoint(func(member sim.NodeID) sim.Fault {
			return p.orders.Clog(member, "etcd>"+topology.Numbered("client", 0, len(p.topology.APIServers)), p.apiServers[0].WatchClients(), until)
		}), 1)
	}
	if p.options.Defragment {
		label := etcdName
		if p.topology.Watches != node {
			label = followerName
		}
		p.add(p.orders.Defragment(p.topology.Watches, label, until), 1)
	}
	if p.options.StallDisk {
		label := etcdName
		if p.topology.Watches != node {
			label = followerName
		}
		p.add(etcd.StallDisk(p.topology.Watches, label, until), 1)
	}
	p.add(etcd.Fail(node, etcdName, etcd.TimesOut), p.options.Timeouts)
	p.add(p.orders.ChangeLeader(p.members(), etcdName), p.options.LeaderChanges)
	p.add(etcd.Fail(node, etcdName, etcd.Overloads), p.options.Overloads)
	p.add(p.orders.LoseLeader(p.members(), etcdName, until), p.options.LeaderLosses)
	if len(p.topology.Members) > 2 {
		cut := sim.Partition{One: []sim.NodeID{p.topology.Watches}, Label: "between the member that serves watches and the others"}
		for _, m := range p.topology.Members {
			if m != p.topology.Watches {
				cut.Other = append(cut.Other, m)
			}
		}
		p.add(&cut, 2*p.options.MemberPartitions)
	} else if lagging := p.topology.Watches; lagging != node {
		p.add(&etcd.CutOff{Partition: sim.Partition{One: []sim.NodeID{lagging}, Other: []sim.NodeID{node}, Label: "between " + followerName + " and " + etcdName}},
			2*p.options.MemberPartitions)
	}
	p.eachAsked(p.options.Failovers, p.orders.Failover)
	if p.options.Downgrade != "" {
		p.add(&etcd.Downgrade{Node: node, Label: etcdName, To: downgraded}, 1)
	}
}

// eachAsked spreads faults over the members that take reads and writes.
func (p *planner) eachAsked(times int, of func(member sim.NodeID, label string) sim.Fault) {
	asked := []sim.NodeID{p.topology.Etcd}
	if p.topology.Spread() {
		asked = p.topology.Members
	}
	for i, member := range asked {
		p.add(of(member, topology.Numbered(etcdName, i, len(asked))), share(times, i, len(asked)))
	}
}

// partitions are between an API server and etcd, and around etcd. Each strikes twice:
// it begins, and ends.
func (p *planner) partitions() {
	all := p.topology.APIServers
	for i := range all {
		p.add(&sim.Partition{One: all[i].Nodes(), Other: p.members(), Label: "between " + topology.ServerName(i, len(all)) + " and etcd"},
			2*share(p.options.Partitions, i, len(all)))
		p.add(&sim.Partition{One: all[i].Nodes(), Other: []sim.NodeID{p.topology.Etcd}, Label: "between " + topology.ServerName(i, len(all)) + " and the leader of etcd"},
			2*share(p.options.ReadPartitions, i, len(all)))
	}
	p.add(&sim.Partition{One: p.members(), Label: "between etcd and all others"}, 2*p.options.ServerPartitions)
}

// members are the servers of etcd.
func (p *planner) members() []sim.NodeID { return p.topology.Members }
