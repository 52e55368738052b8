package testbed

import (
	"strconv"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/testbed/truth"
	"github.com/watchbed/watchbed/workload"
)

// cluster is etcd: one server, or a leader that takes reads and writes with a
// follower that serves the watches.
type cluster struct {
	config etcd.Config
	server *etcd.Server
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
	if s.topology.Lagging {
		c.follower = etcd.New(c.followerConfig(s))
	}
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
	return workload.WatchRules{RefusesNegative: o.Watch.NegativeStart == v3rpc.Refused, CountsIDs: o.Store.WatchIDs == mvcc.IDsCounted}
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
	Name   string
	ID     sim.NodeID
	Server *etcd.Server
}

// resetTruth has ground truth follow these members.
func (c *cluster) resetTruth(t *truth.Truth) {
	if c.follower == nil {
		t.Reset(c.server, nil, c.initial)
		return
	}
	t.Reset(c.server, c.follower, c.initial)
}

// Members are the servers of etcd: the one that takes reads and writes, and its follower
// if there is one. The last of them serves the watches.
func (s *System) Members() []Member {
	all := []Member{{etcdName, s.topology.Etcd, s.etcd.server}}
	if s.etcd.follower != nil {
		all = append(all, Member{followerName, s.topology.Watches, s.etcd.follower})
	}
	return all
}

const etcdName, followerName = "etcd", "etcd-follower"

func (c *cluster) build(s *System, w *sim.World) {
	c.server.Reset(c.config)
	w.Pace(w.Add(etcdName, c.server), s.params.Clock.EtcdTransfer)
	if c.follower != nil {
		c.follower.Reset(c.followerConfig(s))
		w.Add(followerName, c.follower)
	}
}
