package shell

import "sync"

// FeatureSupportChecker keeps the version that each endpoint of etcd has answered, for all
// caches of a process. A cache that starts when its endpoints are known trusts etcd from its
// first read. Otherwise its reads go to etcd until an endpoint has answered: that window is
// open once a process (DefaultFeatureSupportChecker of k8s.io/apiserver). As there, an endpoint
// that has answered is not asked again: one that is downgraded later counts as what it was.
//
// Upstream keeps one answer for all endpoints that the process has asked; here a cache goes by
// its own endpoints, and caches of other clusters do not concern it.
//
// Only the version check "shipped" uses it: the others want an answer of their own. The zero
// value is ready to be used, by any number of goroutines. It must not be copied.
type FeatureSupportChecker struct {
	mu sync.Mutex
	// versions has an item for each endpoint, by the address that the client has for it.
	versions map[string]string
}

// DefaultFeatureSupportChecker is that of caches whose Config has none.
var DefaultFeatureSupportChecker = &FeatureSupportChecker{}

// version is that of an endpoint. It reports false if the endpoint has not answered, or if
// there is no checker.
func (c *FeatureSupportChecker) version(endpoint string) (string, bool) {
	if c == nil {
		return "", false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	version, known := c.versions[endpoint]
	return version, known
}

// answered: an endpoint has given its version.
func (c *FeatureSupportChecker) answered(endpoint, version string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.versions == nil {
		c.versions = map[string]string{}
	}
	c.versions[endpoint] = version
}
