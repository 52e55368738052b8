//go:build wasip1

package main

import (
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/protobuf/proto"
)

// Marshal is what the key bucket has for a change.
func Marshal(kv *mvccpb.KeyValue) ([]byte, error) { return proto.Marshal(kv) }
