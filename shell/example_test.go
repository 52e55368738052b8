package shell_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/shell"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// A cache of all pods, indexed by node, and the consistent list of those of one
// node.
func Example() {
	ctx := context.Background()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"localhost:2379"}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	design, err := cache.ForDesign("v0.37.2")
	if err != nil {
		log.Fatal(err)
	}
	nodeName := func(pod *wire.KeyValue) string {
		name, _, _ := strings.Cut(pod.Value, "\n")
		return name
	}
	pods, err := shell.Start(ctx, client, shell.Config{Cache: cache.Config{
		Options: design,
		Prefix:  "/registry/pods/",
		Fields:  []store.Field{{Name: "spec.nodeName", Value: nodeName, Indexed: true}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer pods.Close()
	if err := pods.Ready(ctx); err != nil {
		log.Fatal(err)
	}

	list, err := pods.List(ctx, wire.ListRequest{
		Prefix:          "/registry/pods/",
		ResourceVersion: wire.Unset,
		Selector:        wire.Selector{Field: "spec.nodeName", Value: "node-1"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(list.Items), "pods at", list.ResourceVersion, "from the", list.Origin)
}
