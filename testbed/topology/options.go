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
	// Servers is how many API servers there are, Resources how many kinds of
	// objects, each with a cache of its own in every API server; 0 is one.
	Servers, Resources int
	// Namespaces is how many namespaces the watched keys are in; 0 is none. Lists
	// are of one of them, and its name begins that of the next.
	Namespaces int
	// SharedStream has the caches of an API server watch on one gRPC stream
	// (kubernetes/kubernetes#114458).
	SharedStream bool
	// ClientKV sends the caches' reads of etcd through the client library, with
	// its retries, instead of straight to etcd.
	ClientKV bool
	// ClientWrites sends what writers write, and what clients of etcd ask for, through
	// the client library of an API server, instead of straight to etcd.
	ClientWrites bool
	// Lagging has the watches served by a member of etcd that applies what the
	// leader commits when it hears of it.
	Lagging bool
	// Balanced has the client library of an API server open each watch stream at the next
	// of both members: first at the one that lags.
	Balanced bool
	// ReadsLag has the API servers read from the member that lags, too. It takes no writes, so that they must not ask for any.
	ReadsLag bool
	// Members are the versions of the members of the etcd cluster beside the one
	// that serves at first; comma separated. One with "!" behind it does not say its
	// version until it serves.
	Members string
	// MemberSettings are options of etcd that only the members of one version have,
	// each VERSION:NAME=VALUE: what another release would do in the place of that
	// version. They come on top of all others.
	MemberSettings []string
	// ServerSettings are options that only one API server has, each
	// SERVER:NAME=VALUE, in the order of servers and names. A server may have a design
	// or a version of the client library of its own, too. They come on top of all
	// others.
	ServerSettings []string
	// Compactors has each API server try to compact etcd, as Compactor says, and tell
	// its caches of compactions.
	Compactors bool
	Compactor  compactor.Options
}

// Group is all options of a topology.
var Group = option.Join(own, option.Lift(compactor.Group, func(o *Options) *compactor.Options { return &o.Compactor }))

var own = option.NewGroup("topology",
	option.Count("caches", func(o *Options) *int { return &o.Servers }, "", "API servers over the one etcd, each with a cache of every resource"),
	option.Count("resources", func(o *Options) *int { return &o.Resources }, "1", "kinds of objects, each with a cache of its own"),
	option.Count("namespaces", func(o *Options) *int { return &o.Namespaces }, "none", "namespaces of the watched keys, of which each list asks for one"),
	option.Switch("shared-stream", func(o *Options) *bool { return &o.SharedStream }, "the caches of one API server watch on one gRPC stream"),
	option.Switch("client-kv", func(o *Options) *bool { return &o.ClientKV }, "a cache's reads of etcd go through the client library, with its retries"),
	option.Switch("client-writes", func(o *Options) *bool { return &o.ClientWrites }, "writers and clients of etcd go through the client library of an API server"),
	option.Switch("lagging", func(o *Options) *bool { return &o.Lagging }, "watches are served by a member of etcd that lags behind the one that takes reads and writes"),
	option.Switch("balanced", func(o *Options) *bool { return &o.Balanced }, "each watch stream of an API server is opened at the next member of etcd: the first at the one that lags"),
	option.Switch("reads-lag", func(o *Options) *bool { return &o.ReadsLag }, "caches read from the member of etcd that lags, too: it takes no writes"),
	option.Text("members", func(o *Options) *string { return &o.Members }, checkMembers, "versions, comma separated",
		"versions of the other members of the etcd cluster; 3.5.7! does not say so until it serves"),
	option.List("member-settings", func(o *Options) *[]string { return &o.MemberSettings }, checkMemberSettings,
		"options of etcd that the members of one version have, VERSION:NAME=VALUE"),
	option.Canonical("server-settings", func(o *Options) *[]string { return &o.ServerSettings }, canonicalServerSettings,
		"options that one API server has, SERVER:NAME=VALUE: cache-2:cache=kep-4988,cache-2:ring=3"),
	option.Switch("compactors", func(o *Options) *bool { return &o.Compactors }, "API servers that compact etcd, and tell their caches"),
)

// Member is another member of the etcd cluster.
type Member struct {
	Version string
	// Silent: it does not say its version until it serves.
	Silent bool
}

// OtherMembers are the members that do not serve at first.
func (o *Options) OtherMembers() []Member {
	if o.Members == "" {
		return nil
	}
	var all []Member
	for _, m := range strings.Split(o.Members, ",") {
		version, silent := strings.CutSuffix(m, "!")
		all = append(all, Member{version, silent})
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
