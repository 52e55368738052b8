package unreached

import (
	"context"
	"fmt"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apiserver/pkg/apis/example"
	"k8s.io/apiserver/pkg/storage"
)

// writesBetween calls write behind the first of the ranges that a list asks etcd for.
type writesBetween struct {
	clientv3.KV
	write func()
}

func (w *writesBetween) Get(ctx context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	r, err := w.KV.Get(ctx, key, opts...)
	if write := w.write; write != nil && err == nil && r.More {
		w.write = nil
		write()
	}
	return r, err
}

// TestPageIsOfOneRevision (kubernetes/kubernetes#94002): a LIST with a selector and a limit asks etcd more than once
// until its page is full. What is written between two of these is in none of them. It needs a list in pages with a
// selector that few objects match, a write at that point, and the page compared with one state.
func TestPageIsOfOneRevision(t *testing.T) {
	store, server := newStore(t)
	for i := range 8 {
		node := "other"
		if i%4 == 3 {
			node = "mine"
		}
		create(t, store, fmt.Sprintf("pod-%d", i), node)
	}
	kv := &writesBetween{KV: server.V3Client.KV}
	server.V3Client.KV = kv
	kv.write = func() { create(t, store, "pod-5-late", "mine") }
	selected := storage.SelectionPredicate{
		Label: labels.Everything(), Field: fields.OneTermEqualSelector("spec.nodeName", "mine"), GetAttrs: attributes, Limit: 2,
	}
	var pods example.PodList
	if err := store.GetList(t.Context(), prefix, storage.ListOptions{Predicate: selected, Recursive: true}, &pods); err != nil {
		t.Fatal(err)
	}
	if kv.write != nil {
		t.Fatal("the list asked etcd once only")
	}
	for i := range pods.Items {
		if pods.Items[i].Name == "pod-5-late" {
			t.Fatalf("a LIST at revision %s has a pod of revision %s", pods.ResourceVersion, pods.Items[i].ResourceVersion)
		}
	}
}
