package shell

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/sim/wire"
)

// defaultWatcherMaxLimit is how many initial events etcd3 lists at a time.
const defaultWatcherMaxLimit = 10000

// sync brings the initial events of a watch, if it asks for them, and says after
// which revision to watch. It returns false if the watch has ended.
func (w *watcher) sync(ctx context.Context, p *wire.WatchStart, bring func(events []*wire.WatchEvent, last bool) bool) (revision int64, ok bool) {
	revision = max(p.Revision, 0)
	if p.SendInitialEvents != wire.SendInitialEventsTrue {
		return revision, true
	}
	if revision > 0 {
		current, err := w.currentRevision(ctx, p.Prefix)
		if err == nil && current < revision {
			err = &wire.Error{Code: wire.TooLargeResourceVersion, Message: "Too large resource version", RetryAfter: 1}
		}
		if err != nil {
			bring(failure(err), true)
			return 0, false
		}
	}
	return w.listInitial(ctx, p, bring)
}

// currentRevision is getCurrentStorageRV: no object has the bare prefix for its
// key.
func (w *watcher) currentRevision(ctx context.Context, prefix string) (int64, *wire.Error) {
	res, err := w.client.Get(ctx, prefix)
	if err != nil {
		return 0, refusal(err)
	}
	return res.Header.Revision, nil
}

// listInitial lists page by page at the revision of the first page, which is the
// newest. The revision of the watch request does not matter.
func (w *watcher) listInitial(ctx context.Context, p *wire.WatchStart, bring func(events []*wire.WatchEvent, last bool) bool) (revision int64, ok bool) {
	opts := []clientv3.OpOption{clientv3.WithLimit(defaultWatcherMaxLimit)}
	if !p.Single {
		opts = append(opts, clientv3.WithRange(clientv3.GetPrefixRangeEnd(p.Prefix)))
	}
	for key := p.Prefix; ; {
		res, err := w.client.Get(ctx, key, opts...)
		if err != nil {
			bring(failure(refusal(err)), true)
			return 0, false
		}
		if revision == 0 {
			revision = res.Header.Revision
			opts = append(opts, clientv3.WithRev(revision))
		}
		w.sizes.put(res.Kvs...)
		page := rangeResponse(res)
		events := make([]*wire.WatchEvent, 0, len(page.Kvs)+1)
		for _, kv := range page.Kvs {
			events = append(events, &wire.WatchEvent{Type: wire.Added, ResourceVersion: kv.ModRevision, Item: kv})
			key = kv.Key + "\x00"
		}
		if !page.More && p.AllowBookmarks {
			events = append(events, &wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: revision, InitialEventsEnd: true})
		}
		if len(events) > 0 && !bring(events, false) {
			return 0, false
		}
		if !page.More {
			return revision, true
		}
	}
}

func failure(err *wire.Error) []*wire.WatchEvent {
	return []*wire.WatchEvent{{Type: wire.Failed, Err: err}}
}
