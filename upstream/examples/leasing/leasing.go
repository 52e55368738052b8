// Package leasing puts etcd's own cache of keys into the bed.
package leasing

import (
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.etcd.io/etcd/client/v3/leasing"
)

// New is what the bed calls in each process, with a client of the simulated etcd.
func New(c *clientv3.Client) (clientv3.KV, error) {
	kv, _, err := leasing.NewKV(c, "lease/", concurrency.WithTTL(3))
	return kv, err
}
