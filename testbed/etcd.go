package testbed

import (
	"strconv"
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
	// follower is nil if watches are served by the server itself.
	follower *etcd.Server
	initial  model.Initial
}

func (c *cluster) configure(s *System) error {
	p := &s.params
	// The version was checked by Behaviours.
	c.config, _ = etcd.DefaultConfig(p.Etcd)
	c.config.Behaviour = s.behaviours.Etcd
	override(&c.config.ChanBufLen, p.ChanBuf)
	override(&c.config.CtrlStreamBufLen, p.CtrlBuf)
	override(&c.config.SendWindow, p.SendWindow)
	override(&c.config.MaxWatchersPerSync, p.WatchersPerSync)
	override(&c.config.WatchBatchMaxRevs, p.SyncBatch)
	override(&c.config.CompactionBatchLimit, p.CompactionBatch)
	switch {
	case p.Notify > 0:
		c.config.ProgressNotifyInterval = p.Notify
	case s.behaviours.Cache.ProgressRequests == progress.Notify:
		c.config.ProgressNotifyInterval = p.notifyInterval()
	}
	c.config.RangeTime, c.config.RangeTimePerItem = p.Guard.RangeTime, p.Guard.ItemTime
	c.config.ReadsDelayWatches = p.Guard.SharedConnection
	c.config.Replicated = p.Lagging
	c.fill(s)
	if err := c.addMembers(s); err != nil {
		return err
	}
	c.server = etcd.New(c.config)
	if p.Lagging {
		c.follower = etcd.New(c.followerConfig(s))
	}
	return nil
}

func (c *cluster) followerConfig(s *System) etcd.Config {
	config := c.config
	config.Leader, config.Replicated = s.topology.Etcd, false
	return config
}

// notifyInterval is what a cache that never asks for progress has etcd configured
// to: 250 ms, unless the parameters say something else (the first draft of
// KEP-2340, "Progress notify interval selection").
func (p *Params) notifyInterval() time.Duration {
	if p.Notify > 0 {
		return p.Notify
	}
	return 250 * time.Millisecond
}

// override sets what is not 0.
func override(field *int, value int) {
	if value > 0 {
		*field = value
	}
}

// fill makes the contents before the run: the watched keys first, then the
// revisions that other keys took.
func (c *cluster) fill(s *System) {
	rev := int64(1)
	add := func(key string) {
		rev++
		kv := &wire.KeyValue{Key: key, Value: "initial", CreateRevision: rev, ModRevision: rev, Version: 1}
		c.config.Initial = append(c.config.Initial, kv)
		it := workload.Item(kv)
		c.initial.Items = append(c.initial.Items, &it)
	}
	for i := range s.params.Items {
		add(s.topology.Key(i))
	}
	for i := range s.params.History {
		add(topology.Elsewhere + "old" + strconv.Itoa(i))
	}
	c.config.InitialRevision = rev
	c.initial.Revision = rev
}

func (c *cluster) build(s *System, w *sim.World) {
	c.server.Reset(c.config)
	w.Add("etcd", c.server)
	if c.follower != nil {
		c.follower.Reset(c.followerConfig(s))
		w.Add("etcd-follower", c.follower)
	}
}
