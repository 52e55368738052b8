package topology

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/compactor"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
)

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
