package main

import (
	"fmt"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// world is a small one: an etcd, and clients with a few steps each.
type world struct {
	Name, Doc string
	// Initial is what the store begins with, Revision and Compacted its revisions.
	Initial             []*wire.KeyValue
	Revision, Compacted int64
	Clients             [][]step
	// Slow is how many times fewer schedules there are than of others, since each takes so much longer; 0 is as many.
	Slow int
	// Snapshot: the server may install one once.
	Snapshot bool
}

// find is the world of a name, nil if there is none.
func find(name string) *world {
	for _, of := range worlds {
		if of.Name == name {
			return of
		}
	}
	return nil
}

// etcdNode is the node of the etcd. Those behind it are clients.
const etcdNode sim.NodeID = 1

// released is the program that is the code of a version.
func released(version string) string { return "etcd@v" + version }

// start is the world with an etcd before its first step: the simulated server of a version, or the code of a release. The chooser
// answers what nodes ask when they start.
func (of *world) start(name string, c sim.Chooser) (*sim.World, error) {
	version, p := name, (*testbed.Program)(nil)
	if _, err := etcd.Release(name); err != nil {
		if p, err = testbed.FindProgram(name); err != nil {
			return nil, err
		}
		version = p.Version
	}
	cfg, err := etcd.DefaultConfig(version)
	if err != nil {
		return nil, err
	}
	cfg.Initial, cfg.InitialRevision, cfg.Compacted = of.Initial, max(1, of.Revision), of.Compacted
	w := sim.NewWorld(sim.Options{})
	server := etcd.New(cfg)
	if p == nil {
		w.Add("etcd", server)
	} else {
		n := p.New(server)
		n.Reset(cfg)
		w.Add("etcd", n)
	}
	for i, steps := range of.Clients {
		w.Add(fmt.Sprintf("client-%d", i+1), newClient(etcdNode, steps))
	}
	if of.Snapshot {
		w.AddFault(&etcd.InstallSnapshot{Node: etcdNode, Label: "etcd"}, sim.Budget{Times: 1})
	}
	w.Start(c)
	return w, nil
}

// next are the steps of which one is taken next. What is on its way to a client comes at once: it makes no difference to
// etcd and other clients, and what the client sends then may be under way for as long as it likes.
func next(all []sim.Action) []sim.Action {
	for i, a := range all {
		if a.Kind == sim.Deliver && a.Node != etcdNode {
			return all[i : i+1]
		}
	}
	return all
}
