package unreached

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/apis/example"
	"k8s.io/apiserver/pkg/storage"
	clocktesting "k8s.io/utils/clock/testing"
)

// gated is the cacher's own watch. The end of its initial events, and what comes behind, are held back until the test
// lets them through.
type gated struct {
	watch.Interface
	results chan watch.Event
	// atEnd is closed when the end of the initial events has come.
	atEnd, listed, changes chan struct{}
	stopped                chan struct{}
	once                   sync.Once
}

func newGated() *gated {
	return &gated{
		results: make(chan watch.Event), atEnd: make(chan struct{}), listed: make(chan struct{}), changes: make(chan struct{}),
		stopped: make(chan struct{}),
	}
}

func (g *gated) ResultChan() <-chan watch.Event { return g.results }

func (g *gated) Stop() {
	g.once.Do(func() { close(g.stopped) })
	g.Interface.Stop()
}

// through reports whether something that the watch waits for has come.
func (g *gated) through(gate chan struct{}) bool {
	select {
	case <-gate:
		return true
	case <-g.stopped:
		return false
	}
}

func (g *gated) run() {
	defer close(g.results)
	ended := false
	for e := range g.Interface.ResultChan() {
		switch {
		case ended:
			if !g.through(g.changes) {
				return
			}
		case e.Type == watch.Bookmark:
			ended = true
			close(g.atEnd)
			if !g.through(g.listed) {
				return
			}
		}
		select {
		case g.results <- e:
		case <-g.stopped:
			return
		}
	}
}

// shared is a store of several cachers, one after the other: it would estimate the sizes of objects for one only.
type shared struct{ *between }

func (shared) EnableResourceSizeEstimation(storage.KeysFunc) error { return nil }

// TestBookmarkDoesNotOvertakeItsEvent (kubernetes/kubernetes#125244): the first list of a cacher takes more than a
// second, and a pod is created right behind it. The dispatcher's first bookmark is due by then; it must not say that
// all up to the pod has been sent before the pod is. It needs a slow first list, a watch that waits for a bookmark, and
// an event, both within the 10 ms in which the dispatcher looks whether there is a list. Each time that they are, one
// bookmark in two is wrong.
func TestBookmarkDoesNotOvertakeItsEvent(t *testing.T) {
	store, _ := newStore(t)
	create(t, store, "a", "")
	for attempt := range 40 {
		own := newGated()
		s := shared{&between{Interface: store, watch: func(ctx context.Context, key string, opts storage.ListOptions) (watch.Interface, error) {
			w, err := store.Watch(ctx, key, opts)
			if err != nil {
				return nil, err
			}
			own.Interface = w
			go own.run()
			return own, nil
		}}}
		clock := clocktesting.NewFakeClock(time.Now())
		c := startCacher(t, s, clock)
		<-own.atEnd
		name := fmt.Sprintf("b-%d", attempt)
		created, err := strconv.Atoi(create(t, store, name, ""))
		if err != nil {
			t.Fatal(err)
		}
		// The dispatcher has begun once its timer runs.
		eventually(t, "the cacher has a timer for bookmarks", clock.HasWaiters)
		clock.Step(2 * time.Second)
		close(own.listed)
		if err := c.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		initial := true
		w, err := c.Watch(t.Context(), prefix, storage.ListOptions{
			ResourceVersion: "0", SendInitialEvents: &initial, Recursive: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
			Predicate: storage.SelectionPredicate{
				Label: storage.Everything.Label, Field: storage.Everything.Field, GetAttrs: attributes, AllowWatchBookmarks: true,
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		close(own.changes)
		for sent := false; !sent; {
			e := next(w, 3*time.Second)
			if e == nil {
				t.Fatalf("the watch is not sent %s", name)
			}
			var pod *example.Pod
			if pod = podOf(e); pod == nil {
				t.Fatalf("the watch is sent %s", e.Type)
			}
			version, err := strconv.Atoi(pod.ResourceVersion)
			if err != nil {
				t.Fatal(err)
			}
			if sent = pod.Name == name; !sent && e.Type == watch.Bookmark && version >= created {
				t.Fatalf("a bookmark at %d comes before %s, which was created at %d", version, name, created)
			}
		}
		w.Stop()
		c.Stop()
	}
}
