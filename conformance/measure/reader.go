package main

import (
	"context"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/shell"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// reader is one way to a selective list.
type reader struct {
	name string
	// read returns how many objects were selected, and where the time went.
	read func(ctx context.Context) (selected int, times shell.ReadTimes, err error)
	// pause is how long the client waits between two lists.
	pause time.Duration
}

const (
	indexedField = "spec.nodeName"
	scannedField = "metadata.labels"
)

// caching starts a cache whose field is there twice, with and without an index.
func caching(ctx context.Context, client *clientv3.Client, cfg cache.Config) (*shell.Cache, *shell.ReadTimes, error) {
	cfg.Prefix = prefix
	cfg.Fields = []store.Field{
		{Name: indexedField, Value: field, Indexed: true},
		{Name: scannedField, Value: field},
	}
	var last shell.ReadTimes
	c, err := shell.Start(ctx, client, shell.Config{Cache: cfg, OnRead: func(times shell.ReadTimes) { last = times }})
	if err != nil {
		return nil, nil, err
	}
	return c, &last, c.Ready(ctx)
}

func (s *storeSpec) fromCache(name, by string, c *shell.Cache, last *shell.ReadTimes, pause time.Duration) reader {
	return reader{name: name, pause: pause, read: func(ctx context.Context) (int, shell.ReadTimes, error) {
		got, err := c.List(ctx, wire.ListRequest{
			Prefix: prefix, ResourceVersion: wire.Unset,
			Selector: wire.Selector{Field: by, Value: s.selects},
		})
		if err != nil {
			return 0, shell.ReadTimes{}, err
		}
		return len(got.Items), *last, nil
	}}
}

// fromEtcd lists page by page, all at the revision of the first; 0 is one page.
func (s *storeSpec) fromEtcd(name string, client *clientv3.Client, page int64) reader {
	return reader{name: name, read: func(ctx context.Context) (int, shell.ReadTimes, error) {
		began := time.Now()
		selected := 0
		end := clientv3.GetPrefixRangeEnd(prefix)
		opts := []clientv3.OpOption{clientv3.WithRange(end), clientv3.WithLimit(page)}
		for key := prefix; ; {
			res, err := client.Get(ctx, key, opts...)
			if err != nil {
				return 0, shell.ReadTimes{}, err
			}
			for i, kv := range res.Kvs {
				if name, _, _ := strings.Cut(string(kv.Value[:min(len(kv.Value), 64)]), "\n"); name == s.selects {
					selected++
				}
				res.Kvs[i] = nil
				key = string(kv.Key) + "\x00"
			}
			if !res.More {
				return selected, shell.ReadTimes{Total: time.Since(began)}, nil
			}
			if len(opts) == 2 {
				opts = append(opts, clientv3.WithRev(res.Header.Revision))
			}
		}
	}}
}

// revisionRead is what every consistent list from the cache has to pay: a quorum
// read that returns nothing but the revision.
func revisionRead(client *clientv3.Client) reader {
	return reader{name: revisionReader, read: func(ctx context.Context) (int, shell.ReadTimes, error) {
		began := time.Now()
		_, err := client.Get(ctx, prefix)
		return 0, shell.ReadTimes{Total: time.Since(began)}, err
	}}
}

const revisionReader = "etcd, its revision alone"
