//go:build wasip1

package main

import "go.etcd.io/etcd/api/v3/mvccpb"

// Marshal is what the key bucket has for a change.
func Marshal(kv *mvccpb.KeyValue) ([]byte, error) { return kv.Marshal() }
