// Package kubernetes runs Kubernetes on the simulated etcd: its server of custom resources, as its own integration tests
// start it, and its informers.
// It is a module of its own, since nothing else may depend on Kubernetes.
package kubernetes

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/test/integration/fixtures"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"github.com/watchbed/watchbed/etcdtest"
)

// start starts the server on an etcd of this configuration, and returns a client of a resource that it has been given.
func start(t *testing.T, c etcdtest.Config) (dynamic.ResourceInterface, func(name string) *unstructured.Unstructured) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, stop, err := etcdtest.Serve(l, nil, c)
	require.NoError(t, err)
	t.Cleanup(stop)
	t.Setenv("KUBE_INTEGRATION_ETCD_URL", "http://"+l.Addr().String())
	end, definitions, client, err := fixtures.StartDefaultServerWithClients(t)
	require.NoError(t, err)
	t.Cleanup(end)
	crd, err := fixtures.CreateNewV1CustomResourceDefinition(fixtures.NewRandomNameV1CustomResourceDefinition(apiextensionsv1.ClusterScoped), definitions, client)
	require.NoError(t, err)
	kind := schema.GroupVersion{Group: crd.Spec.Group, Version: crd.Spec.Versions[0].Name}
	return client.Resource(kind.WithResource(crd.Spec.Names.Plural)), func(name string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": kind.String(), "kind": crd.Spec.Names.Kind, "metadata": map[string]any{"name": name},
		}}
	}
}

// TestCustomResource is created, listed, watched and deleted over HTTP.
func TestCustomResource(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client, object := start(t, etcdtest.Config{})
	before, err := client.List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	require.Empty(t, before.Items)
	watched, err := client.Watch(ctx, metav1.ListOptions{ResourceVersion: before.GetResourceVersion()})
	require.NoError(t, err)
	defer watched.Stop()
	_, err = client.Create(ctx, object("a"), metav1.CreateOptions{})
	require.NoError(t, err)
	list, err := client.List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, list.Items, 1)
	require.NoError(t, client.Delete(ctx, "a", metav1.DeleteOptions{}))
	for _, kind := range []watch.EventType{watch.Added, watch.Deleted} {
		event := <-watched.ResultChan()
		require.Equal(t, kind, event.Type)
		require.Equal(t, "a", event.Object.(metav1.Object).GetName())
	}
	list, err = client.List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	require.Empty(t, list.Items)
}

// lacking is how many of so many consistent LISTs over HTTP, one after each create of 32 writers, lack an object that was
// created at their resourceVersion or before. A watch from there never shows it, either.
func lacking(t *testing.T, bug string, lists int) (lack int) {
	client, object := start(t, etcdtest.Config{Bug: bug, Network: 100 * time.Millisecond})
	const writers = 32
	var created [writers][]*unstructured.Unstructured
	var answers [writers][]*unstructured.UnstructuredList
	var all errgroup.Group
	for w := range writers {
		all.Go(func() error {
			for i := range lists / writers {
				made, err := client.Create(t.Context(), object(fmt.Sprintf("a%d-%d", w, i)), metav1.CreateOptions{})
				if err != nil {
					return err
				}
				list, err := client.List(t.Context(), metav1.ListOptions{})
				if err != nil {
					return err
				}
				created[w], answers[w] = append(created[w], made), append(answers[w], list)
			}
			return nil
		})
	}
	require.NoError(t, all.Wait())
	for _, list := range slices.Concat(answers[:]...) {
		has := map[string]bool{}
		for i := range list.Items {
			has[list.Items[i].GetName()] = true
		}
		if slices.ContainsFunc(slices.Concat(created[:]...), func(o *unstructured.Unstructured) bool {
			return !has[o.GetName()] && version(t, o) <= version(t, list)
		}) {
			lack++
		}
	}
	return lack
}

func version(t *testing.T, o interface{ GetResourceVersion() string }) uint64 {
	n, err := strconv.ParseUint(o.GetResourceVersion(), 10, 64)
	require.NoError(t, err)
	return n
}

// TestConsistentListLacksAWrite: with issue 15220 of etcd progress comes before the event of its revision, and the server
// answers without an object. That is rare: it was so in 11 of 1,920 lists.
func TestConsistentListLacksAWrite(t *testing.T) {
	const lists, most = 960, 10
	require.Zero(t, lacking(t, "", lists))
	for round := range most {
		if n := lacking(t, "issue-15220", lists); n > 0 {
			t.Logf("%d consistent lists lack an object of their resourceVersion, after %d or more", n, round*lists)
			return
		}
	}
	t.Fatalf("none of %d consistent lists lacks an object", most*lists)
}
