package testbed

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// cluster is etcd: one server, or a leader that takes reads and writes with a
// follower that serves the watches.
type cluster struct {
	config etcd.Config
	server *etcd.Server
	// served is the node that has the server, if a program serves its watches.
	served ProgramNode
	// members are those of a program that is the whole cluster, and then there is no server.
	members Cluster
	// follower is nil if watches are served by the server itself.
	follower *etcd.Server
	initial  model.Initial
}

func (c *cluster) configure(s *System) error {
	p := &s.params
	var err error
	if c.config, err = etcd.DefaultConfig(p.Etcd); err != nil {
		return err
	}
	if c.config.Options, err = p.etcdOptions(); err != nil {
		return err
	}
	c.config.Replicated = s.topology.Lagging
	c.fill(s)
	if err := c.addMembers(s); err != nil {
		return err
	}
	c.server = etcd.New(c.config)
	if err := c.useProgram(s); err != nil {
		return err
	}
	if c.members == nil && s.topology.Lagging {
		c.follower = etcd.New(c.followerConfig(s))
	}
	return nil
}

// setEtcd has etcd be a release, "3.5.7", or a program, "etcd@v3.5.7".
func (p *Params) setEtcd(name string) error {
	if !strings.Contains(name, "@") {
		if served, err := p.program(); err != nil || served != nil && served.Version != name {
			p.Program = ""
		}
		p.Etcd = name
		_, err := etcd.Release(name)
		return err
	}
	found, err := FindProgram(name)
	if err != nil {
		return err
	}
	p.Etcd, p.Program = found.Version, name
	if found.Cluster != nil {
		p.runCluster(len(found.Members))
	}
	return nil
}

// EtcdName is what people call the etcd by: its release, or the program.
func (p *Params) EtcdName() string { return cmp.Or(p.Program, p.Etcd) }

// Compiled reports whether compiled code takes part. A run takes as long then as hundreds of those of simulated nodes
// alone.
func (p *Params) Compiled() bool {
	servers, err := p.Servers()
	return p.Program != "" || err == nil && slices.ContainsFunc(servers, func(s Server) bool { return strings.Contains(s.Design.Name, "@") })
}

// program serves the watches of etcd, nil if none does.
func (p *Params) program() (*Program, error) {
	if p.Program == "" {
		return nil, nil
	}
	return FindProgram(p.Program)
}

// OnWholeServers reports whether etcd is a program that is a whole cluster.
func (p *Params) OnWholeServers() bool {
	of, err := p.program()
	return err == nil && of != nil && of.Cluster != nil
}

// useProgram has a program serve the watches, or be the cluster, if there is one.
func (c *cluster) useProgram(s *System) error {
	p := &s.params
	found, err := p.program()
	switch {
	case err != nil:
		return err
	case found == nil || found.Cluster == nil:
		if n := p.Topology.EtcdMembers; n > 1 {
			return fmt.Errorf("etcd-members=%d: etcd is no program that has members, such as cluster@v3.6.16", n)
		}
	}
	switch {
	case found == nil:
		return nil
	case found.Version != p.Etcd:
		return fmt.Errorf("etcd-program=%s is of etcd %s, and etcd=%s: give both the same version", p.Program, found.Version, p.Etcd)
	case found.Cluster != nil:
		return c.useCluster(s, found)
	case p.ChangesMember(), p.Topology.Lagging:
		return fmt.Errorf("etcd-program=%s is one member that leads: it takes no members, downgrade, failovers or lagging follower", p.Program)
	}
	c.served = found.New(c.server)
	return nil
}

func (c *cluster) followerConfig(s *System) etcd.Config {
	config := c.config
	config.Leader, config.Replicated = s.topology.Etcd, false
	return config
}

// WatchRules are what the release of etcd does with create requests.
func (s *System) WatchRules() workload.WatchRules {
	o := &s.nodes.Etcd
	return workload.WatchRules{RefusesNegative: o.Watch.RefusesNegative, CountsIDs: o.Store.CountsIDs}
}

// etcdOptions are the options of etcd as the designs of the caches want them.
func (p *Params) etcdOptions() (etcd.Options, error) {
	n, err := p.Nodes()
	if err != nil {
		return n.Etcd, err
	}
	servers, err := p.Servers()
	relies := (len(servers) == 0 || p.Faults.Replacements > 0) && n.Cache.ProgressRequests == progress.Notify
	for i := range servers {
		relies = relies || servers[i].Cache.ProgressRequests == progress.Notify
	}
	if relies {
		n.Etcd.Watch.ProgressNotifyInterval = n.notifyInterval()
	}
	return n.Etcd, err
}

// notifyInterval is what a cache that never asks for progress has etcd configured
// to: 250 ms, unless the parameters say something else (the first draft of
// KEP-2340, "Progress notify interval selection"). etcd raises shorter ones to 100 ms.
func (n *Nodes) notifyInterval() time.Duration {
	if set := n.Etcd.Watch.ProgressNotifyInterval; set > 0 {
		return max(set, minNotifyInterval)
	}
	return 250 * time.Millisecond
}

// minNotifyInterval is etcd's minWatchProgressInterval.
const minNotifyInterval = 100 * time.Millisecond

// addMembers makes etcd a cluster whose members may take over from each other.
func (c *cluster) addMembers(s *System) error {
	others := s.topology.OtherMembers()
	if len(others) > 0 {
		c.config.Members = []etcd.Member{{Version: s.params.Etcd, Options: c.config.Options}}
	}
	for _, m := range others {
		member, err := s.params.member(m.Version, m.Silent)
		if err != nil {
			return err
		}
		if m.Unreadable {
			member.Version = "unknown"
		}
		c.config.Members = append(c.config.Members, member)
	}
	return nil
}

// member is a member of the cluster: masks, settings and bugs are those of every
// member.
func (p *Params) member(version string, down bool) (etcd.Member, error) {
	of := *p
	of.Etcd = version
	o, err := of.etcdOptions()
	return etcd.Member{Version: version, Options: o, Down: down}, err
}

// fill makes the contents before the run: the watched keys first, then the
// revisions that other keys took.
func (c *cluster) fill(s *System) {
	rev := int64(1)
	add := func(key, value string) {
		rev++
		kv := &wire.KeyValue{Key: key, Value: value, CreateRevision: rev, ModRevision: rev, Version: 1}
		c.config.Initial = append(c.config.Initial, kv)
		it := workload.Item(kv)
		c.initial.Items = append(c.initial.Items, &it)
	}
	for i := range s.params.Workload.Items {
		add(s.topology.Key(i), workload.ValueBefore(i, s.params.Workload.Groups))
	}
	for i := range s.params.Workload.History {
		add(topology.Elsewhere+"old"+strconv.Itoa(i), workload.InitialValue)
	}
	c.config.InitialRevision = rev
	c.initial.Revision = rev
}

// Member is a server of etcd in the world of a run.
type Member struct {
	Name string
	ID   sim.NodeID
	// State is what properties ask it.
	State EtcdState
	// Server is what it is inside, nil if it is no simulated one.
	Server *etcd.Server
	served ProgramNode
}

// Held is what the member keeps in memory on behalf of clients.
func (m *Member) Held() etcd.Held {
	if m.served != nil {
		return m.served.Held()
	}
	return m.Server.Held()
}

// SeesInside reports whether Server has the watches of the member itself: no program serves them.
func (m *Member) SeesInside() bool { return m.Server != nil && m.served == nil }

// state is the state of a member, whole the state of the members that clients read from and write to.
func (c *cluster) state(member int) EtcdState {
	switch {
	case c.members != nil:
		return c.members.State(member)
	case member > 0:
		return c.follower
	default:
		return c.server
	}
}

func (c *cluster) whole(t *topology.Topology) EtcdState {
	if t.Spread() {
		return c.members.Whole()
	}
	return c.state(0)
}

// resetTruth has ground truth follow the members.
func (c *cluster) resetTruth(t *Truth) {
	if c.follower == nil {
		t.Reset(c.state(0), nil, c.initial)
		return
	}
	t.Reset(c.server, c.follower, c.initial)
}

// Members are the servers of etcd that clients are connected to: the member for reads and writes, and the member for
// watches if it is another one, or all members.
func (s *System) Members() []Member {
	t := s.topology
	var all []Member
	for i, id := range t.Members {
		if id == t.Etcd || id == t.Watches || t.Spread() {
			all = append(all, Member{Name: s.memberName(i), ID: id, State: s.etcd.state(i)})
		}
	}
	if s.etcd.follower != nil {
		all[1].Server = s.etcd.follower
	}
	if s.etcd.members == nil {
		all[0].Server, all[0].served = s.etcd.server, s.etcd.served
	}
	return all
}

// memberName is the name of the node of a member.
func (s *System) memberName(i int) string {
	if s.etcd.members == nil && i > 0 {
		return followerName
	}
	return topology.Numbered(etcdName, i, max(1, s.topology.EtcdMembers))
}

const etcdName, followerName = "etcd", "etcd-follower"

func (c *cluster) build(s *System, w *sim.World) {
	if c.members != nil {
		for i, m := range c.members.Reset() {
			w.Pace(w.Add(s.memberName(i), m), s.params.Clock.EtcdTransfer)
		}
		return
	}
	var node sim.Node = c.server
	if c.served != nil {
		c.served.Reset(c.config)
		node = c.served
	} else {
		c.server.Reset(c.config)
	}
	w.Pace(w.Add(etcdName, node), s.params.Clock.EtcdTransfer)
	if c.follower != nil {
		c.follower.Reset(c.followerConfig(s))
		w.Add(followerName, c.follower)
	}
}
