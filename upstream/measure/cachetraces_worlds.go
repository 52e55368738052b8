package main

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// prefix is that of the keys of the cache's resource.
const prefix = "/registry/pods/"

func ofEtcd(p sim.Payload) step { return step{request: p, ofEtcd: true} }

func putObject(key, value string) step { return ofEtcd(put(prefix+key, value)) }

func remove(key string) step { return ofEtcd(&wire.DeleteRangeRequest{Key: prefix + key}) }

func list(change ...func(*wire.ListRequest)) step {
	r := &wire.ListRequest{Prefix: prefix, ResourceVersion: wire.Unset}
	for _, f := range change {
		f(r)
	}
	return call(r)
}

func get(key string) step {
	return call(&wire.GetRequest{Key: prefix + key, ResourceVersion: wire.Unset})
}

func atZero(r *wire.ListRequest) { r.ResourceVersion = 0 }

func paged(r *wire.ListRequest) { r.Limit = 1 }

func atExactly(revision int64) func(*wire.ListRequest) {
	return func(r *wire.ListRequest) { r.ResourceVersion, r.Match = revision, wire.MatchExact }
}

func watchFrom(revision int64) step {
	return on(1, &wire.WatchRequest{Prefix: prefix, ResourceVersion: revision})
}

// watchList is a watch with initial events, as an informer has it.
func watchList() step {
	return on(1, &wire.WatchRequest{
		Prefix: prefix, ResourceVersion: wire.Unset, Match: wire.MatchNotOlderThan, SendInitialEvents: wire.SendInitialEventsTrue, AllowBookmarks: true,
	})
}

// cacheWorlds are all that are compared with a cache.
var cacheWorlds = []*world{
	{
		Name: "list", Doc: "a client puts, and another one lists, consistently",
		Items: 1, Clients: [][]step{{putObject("a", "new")}, {list()}},
	},
	{
		Name: "list-after-put", Doc: "a client puts and then lists, consistently",
		Items: 1, Firings: 1, Clients: [][]step{{putObject("a", "new"), list()}},
	},
	{
		Name: "any-after-put", Doc: "a client puts and then lists whatever the cache has",
		Items: 1, Clients: [][]step{{putObject("a", "new"), list(atZero)}},
	},
	{
		Name: "any", Doc: "a client puts twice, and another one lists twice whatever the cache has",
		Items: 1, Clients: [][]step{{putObject("a", "new"), putObject("b", "new")}, {list(atZero), list(atZero)}},
	},
	{
		Name: "quiet", Doc: "a client puts an object of another resource, and another one lists, consistently: the cache has to ask etcd for progress",
		Items: 1, Firings: 2, Clients: [][]step{{ofEtcd(put("/registry/leases/a", "new"))}, {list()}},
	},
	{
		Name: "pages", Doc: "a client puts and deletes, and another one lists two objects in two pages",
		Items: 2, Clients: [][]step{{putObject("a", "new"), remove("b")}, {list(paged), {more: true}}},
	},
	{
		Name: "exact", Doc: "a client puts twice, and another one lists at the revision in between",
		Items: 1, Clients: [][]step{{putObject("a", "new"), putObject("a", "newer")}, {list(atExactly(3))}},
	},
	{
		Name: "watch", Doc: "a client puts, and another one watches from now on",
		Items: 1, Clients: [][]step{{putObject("a", "new")}, {watchFrom(wire.Unset)}},
	},
	{
		Name: "watch-and-list", Doc: "a client puts and deletes, and another one watches from the first revision, and lists",
		Items: 1, Clients: [][]step{{putObject("a", "new"), remove("a")}, {watchFrom(2), list()}},
	},
	{
		Name: "initial-events", Doc: "a client puts, and another one watches with initial events and bookmarks",
		Items: 1, Firings: 1, Clients: [][]step{{putObject("a", "new")}, {watchList()}},
	},
	{
		Name: "compaction", Doc: "a client puts and compacts there, and another one lists at the first revision and watches from it",
		Items: 1, Clients: [][]step{{putObject("a", "new"), ofEtcd(&wire.CompactionRequest{Revision: 3})}, {list(atExactly(2)), watchFrom(2)}},
	},
	{
		Name: "break", Doc: "the cache's watch of etcd breaks, while a client puts, and another one watches and lists",
		Items: 1, Firings: 1, Breaks: true, Clients: [][]step{{putObject("a", "new")}, {watchFrom(2), list()}},
	},
	{
		Name: "begins-anew", Doc: "the cache's watch of etcd breaks, while a client puts twice and compacts there, so that the cache may have to list again, and then lists whatever it has",
		Items: 1, Breaks: true, Clients: [][]step{{putObject("a", "new"), putObject("a", "newer"), ofEtcd(&wire.CompactionRequest{Revision: 4}), list(atZero)}},
	},
	{
		Name: "get", Doc: "a client puts, and another one gets the object, consistently",
		Items: 1, Clients: [][]step{{putObject("a", "new")}, {get("a")}},
	},
	{
		Name: "create", Doc: "a client deletes an object at etcd, while another one creates it through the cache",
		Items: 1, Firings: 1, Clients: [][]step{{remove("a")}, {call(&wire.CreateRequest{Key: prefix + "a", Value: "created"})}},
	},
	{
		Name: "update", Doc: "a client puts at etcd, while another one updates the object through the cache",
		Items: 1, Firings: 1, Clients: [][]step{{putObject("a", "new")}, {call(&wire.GuaranteedUpdateRequest{Key: prefix + "a", Add: "b"})}},
	},
	{
		Name: "update-unchanged", Doc: "a client puts at etcd, while another one updates the object through the cache to what it may be by then",
		Items: 1, Firings: 1, Clients: [][]step{{putObject("a", "new")}, {call(&wire.GuaranteedUpdateRequest{Key: prefix + "a", Add: "new"})}},
	},
	{
		Name: "update-expecting", Doc: "a client puts at etcd, while another one updates the object of that put through the cache, and gets it",
		Items: 1, Firings: 1, Clients: [][]step{{putObject("a", "new")}, {call(&wire.GuaranteedUpdateRequest{Key: prefix + "a", Add: "b", Expected: 3}), get("a")}},
	},
	{
		Name: "update-or-create", Doc: "a client deletes an object at etcd, while another one updates or creates it through the cache",
		Items: 1, Firings: 1, Clients: [][]step{{remove("a")}, {call(&wire.GuaranteedUpdateRequest{Key: prefix + "a", Add: "b", IgnoreNotFound: true})}},
	},
	{
		Name: "delete", Doc: "a client puts at etcd, while another one deletes through the cache an object that has this value",
		Items: 1, Firings: 1, Clients: [][]step{{putObject("a", "new")}, {call(&wire.DeleteRequest{Key: prefix + "a", Holding: "new"})}},
	},
	{
		Name: "delete-missing", Doc: "a client creates an object at etcd, while another one deletes it through the cache",
		Items: 1, Firings: 1, Clients: [][]step{{putObject("b", "new")}, {call(&wire.DeleteRequest{Key: prefix + "b"})}},
	},
	{
		Name: "updates", Doc: "two clients update an object through the cache, and one gets it then",
		Items: 1, Firings: 1, Clients: [][]step{
			{call(&wire.GuaranteedUpdateRequest{Key: prefix + "a", Add: "b"})}, {call(&wire.GuaranteedUpdateRequest{Key: prefix + "a", Add: "c"}), get("a")},
		},
	},
	{
		Name: "update-and-delete", Doc: "a client updates an object through the cache if it is as it was at first, another one deletes it there, and lists",
		Items: 1, Firings: 1, Clients: [][]step{
			{call(&wire.GuaranteedUpdateRequest{Key: prefix + "a", Add: "b", Precondition: 2})}, {call(&wire.DeleteRequest{Key: prefix + "a"}), list(atZero)},
		},
	},
	{
		Name: "update-break", Doc: "the cache's watch of etcd breaks, while a client puts at etcd, and another one updates the object through the cache",
		Items: 1, Firings: 1, Breaks: true, Clients: [][]step{{putObject("a", "new")}, {call(&wire.GuaranteedUpdateRequest{Key: prefix + "a", Add: "b", Expected: 2})}},
	},
}
