package apiserver

import (
	"iter"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/feature"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// shown is what the host is told of the cache, beside its objects.
type shown struct {
	resourceVersion uint64
	ready           bool
	// trusts: the API server believes that etcd's progress notifications can be trusted.
	trusts bool
	// compacted is the compaction below which the cache has no snapshots any more, 0 if it knows of none.
	compacted int64
	// compared is how many comparisons with etcd have begun, settled how many of them have an outcome.
	compared, settled int
}

// show tells the host what the cache is like, if that is new. All other goroutines wait, or have not gone
// on since they waited, so that nothing is half done. It must not draw random numbers, create goroutines or wait.
func (s *Server) show() {
	resourceVersion, objects := s.host.Contents(s.cacher)
	s.comparisons.settle()
	now := shown{
		resourceVersion, s.cacher.Ready(), feature.DefaultFeatureSupportChecker.Supports(storage.RequestWatchProgress), s.host.Compacted(s.cacher),
		len(s.comparisons.all), s.comparisons.settled(),
	}
	if now == s.shown {
		return
	}
	s.shown = now
	var out protocol.Writer
	w := out.Begin(protocol.Shown, 0).Int(int64(resourceVersion)).Bool(now.ready).Bool(now.trusts).Int(now.compacted)
	s.comparisons.write(w)
	s.writeContents(w, objects)
	s.host.Send(&out)
}

// recall tells the host which snapshots there are, the oldest first: the resourceVersion from which each stands for
// the state of the resource, and its objects.
func (s *Server) recall() {
	type snapshot struct {
		from    uint64
		objects iter.Seq[runtime.Object]
	}
	var all []snapshot
	s.host.AscendSnapshots(s.cacher, func(from uint64, objects iter.Seq[runtime.Object]) { all = append(all, snapshot{from, objects}) })
	var out protocol.Writer
	w := out.Begin(protocol.Snapshots, 0).Int(int64(len(all)))
	for _, past := range all {
		s.writeContents(w.Int(int64(past.from)), past.objects)
	}
	s.host.Send(&out)
}

func (s *Server) writeContents(w *protocol.Writer, of iter.Seq[runtime.Object]) {
	all := slices.Collect(of)
	w.Int(int64(len(all)))
	for _, o := range all {
		s.writeObject(w, o.(*object))
	}
}
