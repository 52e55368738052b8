package apiserver

import "k8s.io/apiserver/pkg/storage/feature"

// newChecker makes what knows which features etcd has.
func newChecker() feature.FeatureSupportChecker { return feature.NewDefaultFeatureSupportChecker() }
