package apiserver

import "k8s.io/apiserver/pkg/storage/feature"

// newChecker returns what knows which features etcd has: the one of the process.
func newChecker() feature.FeatureSupportChecker { return feature.DefaultFeatureSupportChecker }
