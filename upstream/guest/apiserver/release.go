package apiserver

import (
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage/etcd3"
	"k8s.io/utils/clock"
)

type compactor = etcd3.Compactor

// newCompactor makes what asks etcd which revision it has compacted.
func newCompactor(client *clientv3.Client) (c compactor, stop func()) {
	polls := etcd3.NewCompactor(client, 0, clock.RealClock{}, nil)
	return polls, polls.Stop
}

// checkLabels are those of the metric of consistency checks, but for the status.
func checkLabels(resource schema.GroupResource, _ string) []string {
	return []string{resource.Group, resource.Resource}
}
