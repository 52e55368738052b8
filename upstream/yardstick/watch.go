package yardstick

import (
	"context"
	"io"
	"math"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"
	utilflowcontrol "k8s.io/apiserver/pkg/util/flowcontrol"

	"github.com/watchbed/watchbed/shell"
	"github.com/watchbed/watchbed/sim/wire"
)

// Watch implements storage.Interface.
func (s *Storage) Watch(ctx context.Context, key string, opts storage.ListOptions) (watch.Interface, error) {
	version, err := s.version(opts.ResourceVersion)
	if err != nil {
		return nil, err
	}
	prepared, err := storage.PrepareKey(s.cfg.ResourcePrefix, key, opts.Recursive)
	if err != nil {
		return nil, err
	}
	selector, err := s.selectors.of(opts.Predicate)
	if err != nil {
		return nil, err
	}
	r := wire.WatchRequest{
		Prefix: s.prefix + prepared, ResourceVersion: version, AllowBookmarks: opts.Predicate.AllowWatchBookmarks,
		Selector: selector, Single: !opts.Recursive,
	}
	if initial := opts.SendInitialEvents; initial != nil {
		r.SendInitialEvents, r.Match = wire.SendInitialEventsFalse, wire.MatchNotOlderThan
		if *initial {
			r.SendInitialEvents = wire.SendInitialEventsTrue
		}
	}
	if deadline, ok := ctx.Deadline(); ok {
		// The handler of watches in an API server makes a deadline of timeoutSeconds.
		r.TimeoutSeconds = int64(math.Ceil(time.Until(deadline).Seconds()))
	}
	ctx, cancel := context.WithCancel(ctx)
	from, err := s.cache.Watch(ctx, r)
	if err != nil {
		cancel()
		return nil, refusal(err, key, version)
	}
	// The state that the watch begins with is known: API Priority and Fairness may take the next request.
	utilflowcontrol.WatchInitialized(ctx)
	w := &watching{storage: s, from: from, key: key, version: version, results: make(chan watch.Event, resultBuffer), cancel: cancel}
	go w.run(ctx)
	return w, nil
}

// resultBuffer is how many events upstream's watchers have ready for a client, which may take them after it has stopped
// the watch.
const resultBuffer = 10

// watching is a watch.Interface.
type watching struct {
	storage *Storage
	from    *shell.Watch
	key     string
	version int64
	results chan watch.Event
	cancel  context.CancelFunc
	once    sync.Once
}

// ResultChan implements watch.Interface.
func (w *watching) ResultChan() <-chan watch.Event { return w.results }

// Stop implements watch.Interface.
func (w *watching) Stop() {
	w.once.Do(func() {
		w.cancel()
		w.from.Stop()
	})
}

func (w *watching) run(ctx context.Context) {
	defer close(w.results)
	defer w.Stop()
	for {
		e, err := w.from.Next(ctx)
		if err == io.EOF || ctx.Err() != nil {
			return
		}
		var out watch.Event
		if err == nil {
			out, err = w.event(ctx, e)
		} else {
			err = refusal(err, w.key, w.version)
		}
		if err != nil {
			out = watch.Event{Type: watch.Error, Object: status(err)}
		}
		select {
		case w.results <- out:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

var types = map[wire.WatchEventType]watch.EventType{
	wire.Added: watch.Added, wire.Modified: watch.Modified, wire.Deleted: watch.Deleted, wire.Bookmark: watch.Bookmark,
}

func (w *watching) event(ctx context.Context, e *wire.WatchEvent) (watch.Event, error) {
	out := watch.Event{Type: types[e.Type], Object: w.storage.cfg.NewFunc()}
	if e.Type == wire.Bookmark {
		return out, w.bookmark(out.Object, e)
	}
	// That of a deleted object is the revision of its deletion.
	return out, w.storage.objects.read(ctx, e.Item, e.ResourceVersion, out.Object)
}

func (w *watching) bookmark(o runtime.Object, e *wire.WatchEvent) error {
	if err := w.storage.cfg.Versioner.UpdateObject(o, uint64(e.ResourceVersion)); err != nil {
		return err
	}
	if e.InitialEventsEnd {
		return storage.AnnotateInitialEventsEndBookmark(o)
	}
	return nil
}
