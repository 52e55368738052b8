package apiserver

import (
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage/feature"
)

type compactor = *struct{}

// newCompactor: nothing in the release asks etcd which revision it has compacted.
func newCompactor(*clientv3.Client) (c compactor, stop func()) { return nil, func() {} }

// newChecker returns what knows which features etcd has: the one of the process.
func newChecker() feature.FeatureSupportChecker { return feature.DefaultFeatureSupportChecker }

// checkLabels are those of the metric of consistency checks, but for the status.
func checkLabels(_ schema.GroupResource, prefix string) []string { return []string{prefix} }
