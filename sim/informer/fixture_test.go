package informer_test

import (
	"strconv"

	"github.com/watchbed/watchbed/sim/wire"
)

const prefix = "/registry/pods/"

func item(key string, rev int64) *wire.KeyValue {
	return &wire.KeyValue{Key: prefix + key, Value: "v" + strconv.FormatInt(rev, 10), CreateRevision: rev, ModRevision: rev, Version: 1}
}

func listed(version int64, items ...*wire.KeyValue) *wire.ListResponse {
	return &wire.ListResponse{ResourceVersion: version, Items: items}
}

func added(kv *wire.KeyValue) *wire.WatchEvent {
	return &wire.WatchEvent{Type: wire.Added, ResourceVersion: kv.ModRevision, Item: kv}
}

func modified(kv *wire.KeyValue) *wire.WatchEvent {
	return &wire.WatchEvent{Type: wire.Modified, ResourceVersion: kv.ModRevision, Item: kv}
}

func deleted(kv *wire.KeyValue, version int64) *wire.WatchEvent {
	return &wire.WatchEvent{Type: wire.Deleted, ResourceVersion: version, Item: kv}
}

func bookmark(version int64) *wire.WatchEvent {
	return &wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: version}
}

func endOfInitialEvents(version int64) *wire.WatchEvent {
	return &wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: version, InitialEventsEnd: true}
}

var (
	gone     = &wire.Error{Code: wire.ErrCompacted}
	tooLarge = &wire.Error{Code: wire.TooLargeResourceVersion}
)
