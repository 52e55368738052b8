// Package topology (unstable) says which nodes a system has, in which order
// they are added to the world, what they are called, and where objects live.
//
// The order decides the numbers of the nodes, and so the hash of every run. The
// package must never import workload or testbed.
package topology

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/compactor"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
)

// Topology numbers the nodes of etcd and of the API servers: first etcd, then its
// follower, then API server by API server its client library, its caches and its
// compactor. Clients come behind, in the order in which they are added.
type Topology struct {
	Options
	// Members are those of etcd.
	Members []sim.NodeID
	// Etcd takes reads and writes.
	Etcd sim.NodeID
	// Watches is the member that serves watches: Etcd, or its follower.
	Watches sim.NodeID
	// APIServers are in order.
	APIServers []APIServer
	// Next is the number of the first node behind the API servers.
	Next sim.NodeID
}

// Spread reports whether each request and each stream goes to the next member of etcd.
func (t *Topology) Spread() bool { return t.Balanced && !t.Lagging }

// WatchEndpoints are the members that the i-th API server, or client, opens its watch streams at, one after
// the other.
func (t *Topology) WatchEndpoints(i int) []sim.NodeID {
	switch {
	case t.Spread():
		first := i % len(t.Members)
		return slices.Concat(t.Members[first:], t.Members[:first])
	case t.Balanced:
		return []sim.NodeID{t.Watches, t.Etcd}
	}
	return []sim.NodeID{t.Watches}
}

// Member is the one that takes the i-th of some requests.
func (t *Topology) Member(i int) sim.NodeID {
	if t.Spread() {
		return t.Members[i%len(t.Members)]
	}
	return t.Etcd
}

// APIServer is one process: a client library, and a cache of each resource on top
// of it.
type APIServer struct {
	Client sim.NodeID
	Caches []sim.NodeID
	// Compactor is 0 if this process does not compact etcd.
	Compactor sim.NodeID
}

// Nodes are what goes down with the process, in the order in which they start
// again.
func (a *APIServer) Nodes() []sim.NodeID {
	all := append([]sim.NodeID{a.Client}, a.Caches...)
	if a.Compactor != 0 {
		all = append(all, a.Compactor)
	}
	return all
}

// New numbers the nodes.
func New(o Options) *Topology {
	o.Resources = max(1, o.Resources)
	t := &Topology{Options: o, Etcd: 1, Watches: 1, Next: 1}
	number := func() sim.NodeID {
		t.Next++
		return t.Next - 1
	}
	members := max(1, o.EtcdMembers)
	if o.Lagging {
		members = max(2, o.EtcdMembers)
		t.Watches = 2
	}
	for range members {
		t.Members = append(t.Members, number())
	}
	for range o.Servers {
		server := APIServer{Client: number()}
		for range o.Resources {
			server.Caches = append(server.Caches, number())
		}
		if o.Compactors {
			server.Compactor = number()
		}
		t.APIServers = append(t.APIServers, server)
	}
	return t
}

// Cache is the cache of a resource in the API server that the i-th client talks
// to.
func (t *Topology) Cache(i, resource int) sim.NodeID {
	return t.APIServers[i%len(t.APIServers)].Caches[resource%t.Resources]
}

// KV is where the i-th client sends its j-th read or write of etcd.
func (t *Topology) KV(i, j int) sim.NodeID {
	if t.ClientWrites && len(t.APIServers) > 0 {
		return t.APIServers[i%len(t.APIServers)].Client
	}
	return t.Member(i + j)
}

// IsEtcd reports whether a node is a member of etcd.
func (t *Topology) IsEtcd(n sim.NodeID) bool { return slices.Contains(t.Members, n) }

// IsCache reports whether a node is the cache of an API server.
func (t *Topology) IsCache(n sim.NodeID) bool {
	return slices.ContainsFunc(t.APIServers, func(a APIServer) bool { return slices.Contains(a.Caches, n) })
}

// CacheName names the cache of a resource in an API server.
func (t *Topology) CacheName(server, resource int) string {
	name := "cache"
	if t.Resources > 1 {
		name += "-" + ResourceName(resource)
	}
	return Numbered(name, server, len(t.APIServers))
}

// Metadata is the gRPC context metadata under which the cache of a resource
// watches and asks for progress. Equal metadata means one stream, on which a
// progress request of one cache is answered to all of them
// (kubernetes/kubernetes#114458).
func (t *Topology) Metadata(resource int) string {
	if t.SharedStream || t.Resources == 1 {
		return "source=cache"
	}
	return "source=cache-" + ResourceName(resource)
}

// DelegatedMetadata is the metadata of the watches that etcd serves for clients of a
// resource. Kubernetes gives them none, and has an etcd client for each resource. Here
// one client library has the streams of all resources of an API server, so that the
// metadata tell them apart.
func (t *Topology) DelegatedMetadata(resource int) string {
	if t.SharedStream || t.Resources == 1 {
		return ""
	}
	return "client=" + ResourceName(resource)
}

// Numbered is a name, with a number behind it if there are several of a kind; the
// first is number 1.
func Numbered(name string, i, total int) string {
	if total == 1 {
		return name
	}
	return name + "-" + strconv.Itoa(i+1)
}

// Elsewhere is the prefix of a resource that no cache holds.
const Elsewhere = "/registry/events/"

// Neighbours are prefixes of resources that no cache holds either, next to the first
// watched one: its own name is the beginning of theirs, and no key lies between the last
// of the one before or the first of the one behind and its keys.
var Neighbours = []string{"/registry/pods", "/registry/pods-b/", "/registry/pods.", "/registry/pods0"}

// Prefix is where the objects of a resource live.
func Prefix(resource int) string { return "/registry/" + ResourceName(resource) + "/" }

var resourceNames = [...]string{"pods", "configmaps", "secrets", "nodes"}

// ResourceName names a resource.
func ResourceName(resource int) string {
	if resource < len(resourceNames) {
		return resourceNames[resource]
	}
	return "kind" + strconv.Itoa(resource)
}

// Key is the i-th of the watched keys: resources take turns, then namespaces.
func (t *Topology) Key(i int) string {
	prefix := Prefix(i % t.Resources)
	if t.Namespaces > 0 {
		prefix += Namespace(i%t.Namespaces) + "/"
	}
	return prefix + ObjectName(i/t.Resources)
}

// ObjectName names the i-th object of a resource: a, b, ... z, aa ...
func ObjectName(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return ObjectName(i/26-1) + ObjectName(i%26)
}

// Namespace names the i-th: "team", "team-b", "team-b-b" ... Each begins like the
// one before.
func Namespace(i int) string { return "team" + strings.Repeat("-b", i) }

// memberSetting is an option that only the members of one version have:
// VERSION:NAME=VALUE.
type memberSetting struct {
	version string
	option.Setting
}

func parseMemberSetting(text string) (memberSetting, error) {
	version, assignment, hasVersion := strings.Cut(text, ":")
	name, value, hasValue := strings.Cut(assignment, "=")
	if !hasVersion || !hasValue {
		return memberSetting{}, fmt.Errorf("%q: want VERSION:NAME=VALUE, such as 3.5.7:progress=dropped", text)
	}
	if _, err := etcd.Release(version); err != nil {
		return memberSetting{}, err
	}
	return memberSetting{version, option.Setting{Name: name, Value: value}}, nil
}

func checkMemberSettings(list []string) error {
	for _, text := range list {
		m, err := parseMemberSetting(text)
		if err != nil {
			return err
		}
		if err := etcd.Group.Set(&etcd.Options{}, m.Name, m.Value); err != nil {
			return err
		}
	}
	return nil
}

// SetMember sets the options that only members of this version have.
func (o *Options) SetMember(version string, options *etcd.Options) error {
	for _, text := range o.MemberSettings {
		m, err := parseMemberSetting(text)
		if err != nil {
			return err
		}
		if m.version != version {
			continue
		}
		if err := etcd.Group.Set(options, m.Name, m.Value); err != nil {
			return err
		}
	}
	return nil
}

// WithMember is the topology with one option of etcd set for the members of one
// version.
func (o *Options) WithMember(version string, s option.Setting) (Options, error) {
	with := *o
	text := version + ":" + s.String()
	with.MemberSettings = append(slices.Clone(o.MemberSettings), text)
	return with, checkMemberSettings([]string{text})
}

// Options say which processes there are, and how they are connected.
type Options struct {
	Servers   int `option:"caches" doc:"API servers over the one etcd, each with a cache of every resource"`
	Resources int `option:"resources" zero:"1" doc:"kinds of objects, each with a cache of its own"`
	// Namespaces: the name of one begins that of the next.
	Namespaces int `option:"namespaces" zero:"none" doc:"namespaces of the watched keys, of which each list asks for one"`
	// SharedStream is kubernetes/kubernetes#114458.
	SharedStream bool `option:"shared-stream" doc:"the caches of one API server watch on one gRPC stream"`
	ClientKV     bool `option:"client-kv" doc:"a cache's reads of etcd go through the client library, with its retries"`
	ClientWrites bool `option:"client-writes" doc:"writers and clients of etcd go through the client library of an API server"`
	// EtcdMembers are the nodes of a cluster that is a program. A simulated etcd has one, and a follower that lags.
	EtcdMembers int  `option:"etcd-members" zero:"1" doc:"members of etcd, if it is a program such as cluster@v3.6.16"`
	Lagging     bool `option:"lagging" doc:"watches are served by a member of etcd that lags behind the one that takes reads and writes"`
	Balanced    bool `option:"balanced" doc:"each watch stream of an API server is opened at the next member of etcd: the first at the one that lags; with whole servers that do not, each request and stream of each client goes to the next member"`
	ReadsLag    bool `option:"reads-lag" doc:"caches read from the member of etcd that lags, too: it takes no writes"`
	// Members are those of the etcd cluster beside the one that serves at first.
	Members string `option:"members"`
	// MemberSettings are what another release would do in the place of a version, on top of all others.
	MemberSettings []string `option:"member-settings"`
	// ServerSettings are in the order of servers and names, on top of all others. A server may have a design or a
	// version of the client library of its own, too.
	ServerSettings []string `option:"server-settings"`
	Compactors     bool     `option:"compactors" doc:"API servers that compact etcd, and tell their caches"`
	// Compactor is what they do.
	Compactor compactor.Options
}

// Group is all options of a topology.
var Group = option.Join(own, option.Lift(compactor.Group, func(o *Options) *compactor.Options { return &o.Compactor }))

var own = option.Fields("topology",
	option.Text("members", func(o *Options) *string { return &o.Members }, checkMembers, "versions, comma separated",
		"versions of the other members of the etcd cluster; 3.5.7! does not say so until it serves, and what 3.5.7? says is no version"),
	option.List("member-settings", func(o *Options) *[]string { return &o.MemberSettings }, checkMemberSettings,
		"options of etcd that the members of one version have, VERSION:NAME=VALUE"),
	option.Canonical("server-settings", func(o *Options) *[]string { return &o.ServerSettings }, canonicalServerSettings,
		"options that one API server has, SERVER:NAME=VALUE: cache-2:cache=kep-4988,cache-2:ring=3"),
)

// Member is another member of the etcd cluster.
type Member struct {
	Version string
	// Silent: it does not say its version until it serves. Unreadable: what it says is no version, as a program may that
	// only speaks etcd's API.
	Silent, Unreadable bool
}

// OtherMembers are the members that do not serve at first.
func (o *Options) OtherMembers() []Member {
	if o.Members == "" {
		return nil
	}
	var all []Member
	for _, m := range strings.Split(o.Members, ",") {
		version, silent := strings.CutSuffix(m, "!")
		version, unreadable := strings.CutSuffix(version, "?")
		all = append(all, Member{version, silent, unreadable})
	}
	return all
}

func checkMembers(v string) error {
	members := (&Options{Members: v}).OtherMembers()
	if len(members) >= guard.MaxEndpoints {
		return fmt.Errorf("members=%s: an etcd cluster has at most %d members", v, guard.MaxEndpoints)
	}
	for _, m := range members {
		if _, err := etcd.Release(m.Version); err != nil {
			return fmt.Errorf("members=%s: %w", v, err)
		}
	}
	return nil
}
