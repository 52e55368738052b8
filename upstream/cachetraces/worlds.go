package main

import (
	"github.com/watchbed/watchbed/sim/wire"
)

// What clients ask in the worlds.
func put(key, value string) step {
	return step{request: &wire.PutRequest{Key: prefix + key, Value: value}, ofEtcd: true}
}

// putElsewhere puts an object of another resource.
func putElsewhere() step {
	return step{request: &wire.PutRequest{Key: "/registry/leases/a", Value: "new"}, ofEtcd: true}
}

func remove(key string) step {
	return step{request: &wire.DeleteRangeRequest{Key: prefix + key}, ofEtcd: true}
}

func compact(revision int64) step {
	return step{request: &wire.CompactionRequest{Revision: revision}, ofEtcd: true}
}

func list(change ...func(*wire.ListRequest)) step {
	r := &wire.ListRequest{Prefix: prefix, ResourceVersion: wire.Unset}
	for _, f := range change {
		f(r)
	}
	return step{request: r}
}

func watch(from int64, bookmarks bool) step {
	return step{request: &wire.WatchRequest{Prefix: prefix, ResourceVersion: from, AllowBookmarks: bookmarks}, watch: true}
}

func atZero(r *wire.ListRequest) { r.ResourceVersion = 0 }

func paged(r *wire.ListRequest) { r.Limit = 1 }

func atExactly(revision int64) func(*wire.ListRequest) {
	return func(r *wire.ListRequest) { r.ResourceVersion, r.Match = revision, wire.MatchExact }
}

// watchList is a watch with initial events, as an informer has it.
func watchList() step {
	return step{request: &wire.WatchRequest{
		Prefix: prefix, ResourceVersion: wire.Unset, Match: wire.MatchNotOlderThan, SendInitialEvents: wire.SendInitialEventsTrue, AllowBookmarks: true,
	}, watch: true}
}

// worlds are all that are compared.
var worlds = []*world{
	{
		Name: "list", Doc: "a client puts, and another one lists, consistently",
		Items: 1, Clients: [][]step{{put("a", "new")}, {list()}},
	},
	{
		Name: "list-after-put", Doc: "a client puts and then lists, consistently",
		Items: 1, Firings: 1, Clients: [][]step{{put("a", "new"), list()}},
	},
	{
		Name: "any-after-put", Doc: "a client puts and then lists whatever the cache has",
		Items: 1, Clients: [][]step{{put("a", "new"), list(atZero)}},
	},
	{
		Name: "any", Doc: "a client puts twice, and another one lists twice whatever the cache has",
		Items: 1, Clients: [][]step{{put("a", "new"), put("b", "new")}, {list(atZero), list(atZero)}},
	},
	{
		Name: "quiet", Doc: "a client puts an object of another resource, and another one lists, consistently: the cache has to ask etcd for progress",
		Items: 1, Firings: 2, Clients: [][]step{{putElsewhere()}, {list()}},
	},
	{
		Name: "pages", Doc: "a client puts and deletes, and another one lists two objects in two pages",
		Items: 2, Clients: [][]step{{put("a", "new"), remove("b")}, {list(paged), {more: true}}},
	},
	{
		Name: "exact", Doc: "a client puts twice, and another one lists at the revision in between",
		Items: 1, Clients: [][]step{{put("a", "new"), put("a", "newer")}, {list(atExactly(3))}},
	},
	{
		Name: "watch", Doc: "a client puts, and another one watches from now on",
		Items: 1, Clients: [][]step{{put("a", "new")}, {watch(wire.Unset, false)}},
	},
	{
		Name: "watch-and-list", Doc: "a client puts and deletes, and another one watches from the first revision, and lists",
		Items: 1, Clients: [][]step{{put("a", "new"), remove("a")}, {watch(2, false), list()}},
	},
	{
		Name: "initial-events", Doc: "a client puts, and another one watches with initial events and bookmarks",
		Items: 1, Firings: 1, Clients: [][]step{{put("a", "new")}, {watchList()}},
	},
	{
		Name: "compaction", Doc: "a client puts and compacts there, and another one lists at the first revision and watches from it",
		Items: 1, Clients: [][]step{{put("a", "new"), compact(3)}, {list(atExactly(2)), watch(2, false)}},
	},
	{
		Name: "break", Doc: "the cache's watch of etcd breaks, while a client puts, and another one watches and lists",
		Items: 1, Firings: 1, Breaks: true, Clients: [][]step{{put("a", "new")}, {watch(2, false), list()}},
	},
	{
		Name: "begins-anew", Doc: "the cache's watch of etcd breaks, while a client puts twice and compacts there, so that the cache may have to list again, and then lists whatever it has",
		Items: 1, Breaks: true, Clients: [][]step{{put("a", "new"), put("a", "newer"), compact(4), list(atZero)}},
	},
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
