package unreached

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apiserver/pkg/apis/example"
	"k8s.io/apiserver/pkg/storage"
)

// TestGetAsksForProgress (kubernetes/kubernetes#123674): a GET at etcd's revision is answered soon, though no event
// comes that is as new. It needs a write elsewhere, a cacher that no event takes that far, and a limit on the time that
// a read takes.
func TestGetAsksForProgress(t *testing.T) {
	store, server := newStore(t)
	create(t, store, "a", "")
	_, cached := newCacher(t, store)
	elsewhere, err := server.V3Client.Put(t.Context(), "/elsewhere", "x")
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	var pod example.Pod
	err = cached.Get(t.Context(), keyOf("a"), storage.GetOptions{ResourceVersion: strconv.FormatInt(elsewhere.Header.Revision, 10)}, &pod)
	if took := time.Since(began); err != nil || took > 2*time.Second {
		t.Fatalf("a GET at revision %d took %v: %v", elsewhere.Header.Revision, took, err)
	}
}

// TestListAtZeroAsksEtcdNothing (kubernetes/kubernetes#123676): a LIST at resourceVersion "0" is answered with what the
// cacher has. The answer is right in any case; what tells is whether etcd was asked for its revision.
func TestListAtZeroAsksEtcdNothing(t *testing.T) {
	store, _ := newStore(t)
	create(t, store, "a", "")
	var asked atomic.Int32
	s := &between{Interface: store, currentRevision: func(ctx context.Context) (uint64, error) {
		asked.Add(1)
		return store.GetCurrentResourceVersion(ctx)
	}}
	_, cached := newCacher(t, s)
	before := asked.Load()
	var pods example.PodList
	err := cached.GetList(t.Context(), prefix, storage.ListOptions{ResourceVersion: "0", Predicate: storage.Everything, Recursive: true}, &pods)
	if err != nil || len(pods.Items) != 1 {
		t.Fatalf("%d pods: %v", len(pods.Items), err)
	}
	if n := asked.Load() - before; n != 0 {
		t.Fatalf("etcd was asked for its revision %d times", n)
	}
}
