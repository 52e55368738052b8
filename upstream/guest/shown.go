//go:build wasip1

package main

import (
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/cacher/store"
	"k8s.io/apiserver/pkg/storage/feature"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// shown is what the host is told of the cache, beside its objects.
type shown struct {
	resourceVersion uint64
	ready           bool
	// trusts: the API server believes that etcd's progress notifications can be trusted.
	trusts bool
}

// show tells the host what the cache is like, if that is new. All other goroutines wait, so that
// nothing is half done. It must not draw random numbers, create goroutines or wait.
func (s *server) show() {
	resourceVersion, objects := s.cacher.WatchbedContents()
	now := shown{resourceVersion, s.cacher.Ready(), feature.DefaultFeatureSupportChecker.Supports(storage.RequestWatchProgress)}
	if now == s.shown {
		return
	}
	s.shown = now
	all, err := objects.OrderedListPrefix("", "")
	if err != nil {
		panic(err)
	}
	var out protocol.Writer
	w := out.Begin(protocol.Shown, 0).Int(int64(resourceVersion)).Bool(now.ready).Bool(now.trusts).Int(int64(len(all)))
	for _, e := range all {
		s.writeObject(w, e.(*store.Element).Object.(*object))
	}
	send(&out)
}
