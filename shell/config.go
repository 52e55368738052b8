package shell

import (
	"errors"
	"strings"

	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/guard"
)

// Config is what a Cache is made of.
type Config struct {
	// Cache configures the state machine. Its Prefix must end in "/"; its KV,
	// Watch and Compactor are the shell's to fill in. Its Metadata, of the form "key=value",
	// goes with the watch and with progress requests as gRPC metadata, so that
	// both use one stream; empty stands for "source=cache", which is what
	// Kubernetes sends (the gate SeparateCacheWatchRPC). Caches on one
	// clientv3.Client with equal metadata share a stream, and receive each
	// other's progress (kubernetes #114458).
	Cache cache.Config
	// OnRead, if not nil, is called after every List and Get that was answered,
	// with the time of each part. The goroutine of the caller calls it.
	OnRead func(ReadTimes)
	// EstimateSizes has Stats say how large objects are (EnableResourceSizeEstimation). It
	// costs a map of all keys.
	EstimateSizes bool
	// FeatureSupportChecker is shared by the caches of a process, so that only the first one
	// waits for the version of etcd; nil stands for DefaultFeatureSupportChecker. Only the
	// version check "shipped" uses it.
	FeatureSupportChecker *FeatureSupportChecker
}

// defaultMetadata is that of Kubernetes' cacher.
const defaultMetadata = "source=cache"

func (c *Config) complete() error {
	if len(c.Cache.Prefix) < 2 || !strings.HasSuffix(c.Cache.Prefix, "/") {
		return errors.New(`shell: Config.Cache.Prefix must end in "/" and hold more than that`)
	}
	if c.Cache.Metadata == "" {
		c.Cache.Metadata = defaultMetadata
	}
	if key, value, ok := strings.Cut(c.Cache.Metadata, "="); !ok || key == "" || value == "" {
		return errors.New(`shell: Config.Cache.Metadata must be of the form "key=value"`)
	}
	for _, f := range c.Cache.Fields {
		if f.Name == "" || f.Value == nil {
			return errors.New("shell: each of Config.Cache.Fields must have a Name and a Value")
		}
	}
	switch {
	case c.Cache.Guard.VersionCheck != guard.VersionCheckShipped:
		c.FeatureSupportChecker = nil
	case c.FeatureSupportChecker == nil:
		c.FeatureSupportChecker = DefaultFeatureSupportChecker
	}
	return nil
}
