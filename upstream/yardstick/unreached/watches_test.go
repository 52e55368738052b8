package unreached

import (
	"context"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/apis/example"
	"k8s.io/apiserver/pkg/storage"
)

// expirable is a watch of a store that a test can end with 410 Gone.
type expirable struct {
	watch.Interface
	results chan watch.Event
	expire  chan struct{}
	stopped chan struct{}
	once    sync.Once
}

func newExpirable(w watch.Interface) *expirable {
	e := &expirable{Interface: w, results: make(chan watch.Event), expire: make(chan struct{}), stopped: make(chan struct{})}
	go e.run()
	return e
}

func (e *expirable) ResultChan() <-chan watch.Event { return e.results }

func (e *expirable) Stop() {
	e.once.Do(func() { close(e.stopped) })
	e.Interface.Stop()
}

func (e *expirable) run() {
	defer close(e.results)
	for {
		var send watch.Event
		select {
		case event, open := <-e.Interface.ResultChan():
			if !open {
				return
			}
			send = event
		case <-e.expire:
			gone := apierrors.NewResourceExpired("expired by the test").Status()
			send = watch.Event{Type: watch.Error, Object: &gone}
		case <-e.stopped:
			return
		}
		select {
		case e.results <- send:
		case <-e.stopped:
			return
		}
		if send.Type == watch.Error {
			return
		}
	}
}

// TestWatchDoesNotJoinACacherThatBeginsAnew (kubernetes/kubernetes#116172): while a watch asks etcd for its revision,
// the cacher's own watch expires, and all watches of its clients are ended. The new watch joins before the cacher has
// listed. It has to be closed, or the client misses what the list skips. It needs a cacher that begins anew, which
// takes a compaction or an expired watch, and a watch under way at that moment.
func TestWatchDoesNotJoinACacherThatBeginsAnew(t *testing.T) {
	store, _ := newStore(t)
	create(t, store, "a", "")
	s := &between{Interface: store}
	var (
		lock sync.Mutex
		own  *expirable
		// anew: the cacher's own watch has expired. It lists again, or watches with initial events, when it has ended
		// all watches of its clients; it is kept waiting until lists is closed.
		anew           bool
		first          sync.Once
		listing, lists = make(chan struct{}), make(chan struct{})
	)
	held := func() {
		lock.Lock()
		holds := anew
		lock.Unlock()
		if holds {
			first.Do(func() { close(listing) })
			<-lists
		}
	}
	s.watch = func(ctx context.Context, key string, opts storage.ListOptions) (watch.Interface, error) {
		held()
		w, err := store.Watch(ctx, key, opts)
		if err != nil {
			return nil, err
		}
		lock.Lock()
		defer lock.Unlock()
		own = newExpirable(w)
		return own, nil
	}
	s.getList = func(ctx context.Context, key string, opts storage.ListOptions, out runtime.Object) error {
		held()
		return store.GetList(ctx, key, opts, out)
	}
	c, _ := newCacher(t, s)
	s.currentRevision = func(ctx context.Context) (uint64, error) {
		s.currentRevision = nil
		revision, err := store.GetCurrentResourceVersion(ctx)
		lock.Lock()
		anew = true
		close(own.expire)
		lock.Unlock()
		<-listing
		return revision, err
	}
	initial := true
	w, err := c.Watch(t.Context(), prefix, storage.ListOptions{
		SendInitialEvents: &initial, Recursive: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		Predicate: storage.SelectionPredicate{Label: storage.Everything.Label, Field: storage.Everything.Field, GetAttrs: attributes, AllowWatchBookmarks: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	create(t, store, "b", "")
	close(lists)
	eventually(t, "the cacher is ready again", func() bool { return c.Ready() })
	for {
		select {
		case e, open := <-w.ResultChan():
			if e.Type == watch.Error {
				t.Fatalf("the watch is refused: %v", e.Object)
			}
			if !open {
				return
			}
			if pod := podOf(&e); pod != nil && pod.Name == "b" {
				return
			}
		case <-time.After(3 * time.Second):
			t.Fatal("the watch goes on, and is not sent what was written while the cacher began anew")
		}
	}
}

// TestWatchSkipsWhatItsStateHas (kubernetes/kubernetes#49745): a deletion is in the state of the cacher, and still on
// its way to watches, when a watch begins with that state. It must not be sent a deletion of what it never had. It
// needs a dispatcher that is held up, which a watch does whose client does not read, and a watch at resourceVersion "0"
// in the tenth of a second for which the dispatcher waits.
func TestWatchSkipsWhatItsStateHas(t *testing.T) {
	store, _ := newStore(t)
	c, _ := newCacher(t, store)
	everything := storage.SelectionPredicate{Label: storage.Everything.Label, Field: storage.Everything.Field, GetAttrs: attributes}
	at := func(version string) storage.ListOptions {
		return storage.ListOptions{ResourceVersion: version, Recursive: true, Predicate: everything}
	}
	begin := func() watch.Interface {
		w, err := c.Watch(t.Context(), prefix, at("0"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Stop)
		return w
	}
	// Of two watches one does not read. What comes to the other one shows how far the dispatcher is.
	begin()
	reads := begin()
	// What the dispatcher may spend on waiting grows by 50 ms a second, to 100 ms.
	time.Sleep(3 * time.Second)
	for range 100 {
		create(t, store, "b", "")
		deleted := remove(t, store, "b")
		var pods example.PodList
		if err := c.GetList(t.Context(), prefix, at(deleted), &pods); err != nil || len(pods.Items) != 0 {
			t.Fatalf("%d pods behind the deletion: %v", len(pods.Items), err)
		}
		dispatched := false
		for e := next(reads, 5*time.Millisecond); e != nil && !dispatched; e = next(reads, 5*time.Millisecond) {
			dispatched = e.Type == watch.Deleted && podOf(e).ResourceVersion == deleted
		}
		if dispatched {
			continue
		}
		w := begin()
		if e := next(w, time.Second); e != nil {
			t.Fatalf("a watch that began without the pod is sent %s of %s", e.Type, podOf(e).Name)
		}
		return
	}
	t.Fatal("the dispatcher was never held up")
}
