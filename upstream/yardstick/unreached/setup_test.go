package unreached

import (
	"context"
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/apis/example"
	examplev1 "k8s.io/apiserver/pkg/apis/example/v1"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/cacher"
	"k8s.io/apiserver/pkg/storage/etcd3"
	etcd3testing "k8s.io/apiserver/pkg/storage/etcd3/testing"
	"k8s.io/apiserver/pkg/storage/feature"
	"k8s.io/apiserver/pkg/storage/value/encrypt/identity"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
)

var (
	scheme = runtime.NewScheme()
	codecs = serializer.NewCodecFactory(scheme)
)

func init() {
	metav1.AddToGroupVersion(scheme, metav1.SchemeGroupVersion)
	utilruntime.Must(example.AddToScheme(scheme))
	utilruntime.Must(examplev1.AddToScheme(scheme))
}

func newPod() runtime.Object     { return &example.Pod{} }
func newPodList() runtime.Object { return &example.PodList{} }

const (
	prefix    = "/pods/"
	namespace = "default"
)

func keyOf(name string) string { return prefix + namespace + "/" + name }

func attributes(o runtime.Object) (labels.Set, fields.Set, error) {
	pod, ok := o.(*example.Pod)
	if !ok {
		return nil, nil, errors.New("not a pod")
	}
	return pod.Labels, fields.Set{"metadata.name": pod.Name, "spec.nodeName": pod.Spec.NodeName}, nil
}

// newStore is an etcd3 store of pods on an etcd of its own.
func newStore(t *testing.T) (storage.Interface, *etcd3testing.EtcdTestServer) {
	server, _ := etcd3testing.NewUnsecuredEtcd3TestClientServer(t)
	compactor := etcd3.NewCompactor(server.V3Client.Client, 0, clock.RealClock{}, nil)
	t.Cleanup(compactor.Stop)
	codec, versioner := codecs.LegacyCodec(examplev1.SchemeGroupVersion), storage.APIObjectVersioner{}
	store, err := etcd3.New(server.V3Client, compactor, codec, newPod, newPodList, etcd3testing.PathPrefix(), prefix,
		schema.GroupResource{Resource: "pods"}, identity.NewEncryptCheckTransformer(), etcd3.NewDefaultLeaseManagerConfig(),
		etcd3.NewDefaultDecoder(codec, versioner), versioner)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	// As the API server does at its start.
	feature.DefaultFeatureSupportChecker.CheckClient(t.Context(), server.V3Client, storage.RequestWatchProgress)
	eventually(t, "etcd's progress is trusted", func() bool { return feature.DefaultFeatureSupportChecker.Supports(storage.RequestWatchProgress) })
	return store, server
}

// newCacher is a cacher in front of a store, which has listed and watches.
func newCacher(t *testing.T, s storage.Interface) (*cacher.Cacher, storage.Interface) {
	c := startCacher(t, s, clock.RealClock{})
	if err := c.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := cacher.NewCacheDelegator(c, s)
	t.Cleanup(d.Stop)
	return c, d
}

// startCacher is a cacher in front of a store, which has a clock of its own and may not have listed yet.
func startCacher(t *testing.T, s storage.Interface, of clock.WithTicker) *cacher.Cacher {
	c, err := cacher.NewCacherFromConfig(cacher.Config{
		Storage: s, Versioner: storage.APIObjectVersioner{}, GroupResource: schema.GroupResource{Resource: "pods"},
		EventsHistoryWindow: cacher.DefaultEventFreshDuration, ResourcePrefix: prefix,
		KeyFunc:      func(o runtime.Object) (string, error) { return storage.NamespaceKeyFunc(prefix, o) },
		GetAttrsFunc: attributes, NewFunc: newPod, NewListFunc: newPodList, Codec: codecs.LegacyCodec(examplev1.SchemeGroupVersion),
		Indexers: &cache.Indexers{}, Clock: of,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	return c
}

func create(t *testing.T, s storage.Interface, name, node string) string {
	t.Helper()
	pod := &example.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}, Spec: example.PodSpec{NodeName: node}}
	var out example.Pod
	if err := s.Create(t.Context(), keyOf(name), pod, &out, 0); err != nil {
		t.Fatal(err)
	}
	return out.ResourceVersion
}

// remove returns the revision of the deletion.
func remove(t *testing.T, s storage.Interface, name string) string {
	t.Helper()
	var out example.Pod
	err := s.Delete(t.Context(), keyOf(name), &out, nil, storage.ValidateAllObjectFunc, nil, storage.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out.ResourceVersion
}

// podOf is the pod of an event, nil if it is about none. Events of a cacher share objects with other watches.
func podOf(e *watch.Event) *example.Pod {
	o := e.Object
	if shared, is := o.(runtime.CacheableObject); is {
		o = shared.GetObject()
	}
	pod, _ := o.(*example.Pod)
	return pod
}

// next is what a watch is sent next, nil if it is closed or sent nothing for so long.
func next(w watch.Interface, within time.Duration) *watch.Event {
	select {
	case e, open := <-w.ResultChan():
		if open {
			return &e
		}
	case <-time.After(within):
	}
	return nil
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for began := time.Now(); !so(); time.Sleep(time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			t.Fatalf("in vain: %s", what)
		}
	}
}

// between is a store of which a test takes some calls.
type between struct {
	storage.Interface
	currentRevision func(ctx context.Context) (uint64, error)
	getList         func(ctx context.Context, key string, opts storage.ListOptions, out runtime.Object) error
	watch           func(ctx context.Context, key string, opts storage.ListOptions) (watch.Interface, error)
}

func (b *between) GetCurrentResourceVersion(ctx context.Context) (uint64, error) {
	if b.currentRevision != nil {
		return b.currentRevision(ctx)
	}
	return b.Interface.GetCurrentResourceVersion(ctx)
}

func (b *between) GetList(ctx context.Context, key string, opts storage.ListOptions, out runtime.Object) error {
	if b.getList != nil {
		return b.getList(ctx, key, opts, out)
	}
	return b.Interface.GetList(ctx, key, opts, out)
}

func (b *between) Watch(ctx context.Context, key string, opts storage.ListOptions) (watch.Interface, error) {
	if b.watch != nil {
		return b.watch(ctx, key, opts)
	}
	return b.Interface.Watch(ctx, key, opts)
}
