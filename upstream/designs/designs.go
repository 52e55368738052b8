// Package designs registers the compiled guests, each under its name: those of Kubernetes as designs of a cache,
// kubernetes@v0.37.2, and those of etcd as programs that serve its watches, etcd@v3.5.7, or are its members,
// cluster@v3.6.16. One whose guest is not compiled says how to compile it.
package designs

import (
	"slices"
	"strings"
	"sync"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/option"

	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/node"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// published are the versions for which there is a design whether they are compiled or not.
var published = []string{"kubernetes@v0.37.2", "kubernetes@v0.38.0-alpha.2"}

func init() {
	names := published
	if directory, err := guests.Directory(); err == nil {
		names = withOthers(names, guests.Names(directory))
	}
	for _, name := range names {
		cache.RegisterDesign(registered(name))
	}
	cache.RegisterFamily(named)
}

func registered(name string) cache.Design {
	compiled, how := guests.Scheduled(name)
	d := &design{guestOf(compiled, protocol.Kubernetes, node.Beginning), how}
	doc := "the cacher, etcd3 store and clientv3 of " + compiled + " themselves, scheduled by the bed"
	if how.Locks {
		doc += ", with goroutines that give way at locks, too"
	}
	if how.Late {
		doc += ", with goroutines that may run only after the world has gone on"
	}
	version := strings.TrimPrefix(compiled, kubernetes)
	return cache.Design{
		Preset: option.Preset{Name: name, Doc: doc, Settings: node.Promised(version)},
		New:    d.node, Reads: node.Reads, Storage: node.Shipped(version), Refuses: node.Refuses,
		Neighbours: func() []option.Neighbour {
			return neighbours(compiled, how.String(), func(name string) *guest { return guestOf(name, protocol.Kubernetes, node.Beginning) })
		},
	}
}

// asked are the designs that are not listed and were named.
var asked struct {
	sync.Mutex
	designs map[string]cache.Design
}

// named is the design of a guest that is not listed: it has changes, or is not compiled, which its first
// use says.
func named(name string) *cache.Design {
	if !strings.HasPrefix(name, kubernetes) {
		return nil
	}
	asked.Lock()
	defer asked.Unlock()
	d, known := asked.designs[name]
	if !known {
		d = registered(name)
		if asked.designs == nil {
			asked.designs = map[string]cache.Design{}
		}
		asked.designs[name] = d
	}
	return &d
}

// kubernetes is how the names of its guests begin.
const kubernetes = "kubernetes@"

// withOthers are these names, and those of other guests of Kubernetes, each once. Guests with changes are left out: a
// table over all designs would have a row for each of them.
func withOthers(names, others []string) []string {
	names = slices.Clone(names)
	for _, name := range others {
		if strings.HasPrefix(name, kubernetes) && !slices.Contains(names, name) && !strings.Contains(name, "+") {
			names = append(names, name)
		}
	}
	return names
}

// design is a guest, and how its goroutines are scheduled.
type design struct {
	guest *guest
	how   guests.Schedule
}

func (d *design) node(c cache.Config) sim.Node {
	return node.New(c, node.Compiled{Guest: d.guest.new()}, d.how)
}
