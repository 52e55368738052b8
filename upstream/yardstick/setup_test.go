package yardstick_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/apis/example"
	examplev1 "k8s.io/apiserver/pkg/apis/example/v1"
	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/cacher"
	"k8s.io/apiserver/pkg/storage/etcd3"
	etcd3testing "k8s.io/apiserver/pkg/storage/etcd3/testing"
	storagetesting "k8s.io/apiserver/pkg/storage/testing"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/apiserver/pkg/storage/value/encrypt/identity"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	"github.com/watchbed/watchbed/upstream/yardstick"
)

// of is the cache under test.
var of = flag.String("of", "watchbed", "the cache that is tested: watchbed, or cacher for upstream's")

var (
	scheme = runtime.NewScheme()
	codecs = serializer.NewCodecFactory(scheme)
)

func init() {
	metav1.AddToGroupVersion(scheme, metav1.SchemeGroupVersion)
	utilruntime.Must(example.AddToScheme(scheme))
	utilruntime.Must(examplev1.AddToScheme(scheme))
	serializer := protobuf.NewSerializer(scheme, scheme)
	protobufCodec = codecs.CodecForVersions(serializer, serializer, schema.GroupVersions{examplev1.SchemeGroupVersion}, nil)
}

// protobufCodec is what pods are stored with.
var protobufCodec runtime.Codec

func newPod() runtime.Object     { return &example.Pod{} }
func newPodList() runtime.Object { return &example.PodList{} }

// attributes are those by which upstream's tests select pods.
func attributes(o runtime.Object) (labels.Set, fields.Set, error) {
	pod, ok := o.(*example.Pod)
	if !ok {
		return nil, nil, errors.New("not a pod")
	}
	return pod.Labels, fields.Set{
		"metadata.name": pod.Name, "metadata.namespace": pod.Namespace,
		"spec.nodeName": pod.Spec.NodeName, "spec.restartPolicy": string(pod.Spec.RestartPolicy), "status.phase": string(pod.Status.Phase),
	}, nil
}

const resourcePrefix = "/pods/"

// options are what a test wants otherwise.
type options struct {
	clusterScoped, indexed bool
	codec                  runtime.Codec
	transformer            value.Transformer
}

// world is a store on an etcd of its own, and the cache under test in front of it.
type world struct {
	storage.Interface
	server   *etcd3testing.EtcdTestServer
	client   *clientv3.Client
	recorder *storagetesting.KubernetesRecorder
	store    storage.Interface
	opts     options
	// compacted has the cache take in a compaction that its store has heard of.
	compacted func(t *testing.T, revision int64)
	stop      func()
}

func setUp(t *testing.T, o options) *world {
	if o.codec == nil {
		o.codec = protobufCodec
	}
	if o.transformer == nil {
		o.transformer = identity.NewEncryptCheckTransformer()
	}
	server, _ := etcd3testing.NewUnsecuredEtcd3TestClientServer(t)
	w := &world{server: server, client: server.V3Client.Client, recorder: server.V3Client.Kubernetes.(*storagetesting.KubernetesRecorder), opts: o}
	w.begin(t)
	t.Cleanup(func() { w.stop() })
	return w
}

// newStore is a store as each process of an API server has one.
func (w *world) newStore(t *testing.T) storage.Interface {
	compactor := etcd3.NewCompactor(w.client, 0, clock.RealClock{}, nil)
	t.Cleanup(compactor.Stop)
	versioner := storage.APIObjectVersioner{}
	store, err := etcd3.New(w.server.V3Client, compactor, w.opts.codec, newPod, newPodList, etcd3testing.PathPrefix(), resourcePrefix,
		schema.GroupResource{Resource: "pods"}, w.opts.transformer, etcd3.NewDefaultLeaseManagerConfig(), etcd3.NewDefaultDecoder(w.opts.codec, versioner), versioner)
	require.NoError(t, err)
	t.Cleanup(store.Close)
	return store
}

// begin starts the cache under test on a store of its own.
func (w *world) begin(t *testing.T) {
	w.store = w.newStore(t)
	switch *of {
	case "watchbed":
		w.watchbed(t)
	case "cacher":
		w.cacher(t)
	default:
		t.Fatalf("-of %s: want watchbed or cacher", *of)
	}
}

func (w *world) watchbed(t *testing.T) {
	own, err := clientv3.New(clientv3.Config{Endpoints: w.client.Endpoints()})
	require.NoError(t, err)
	own.KV = yardstick.ListsOf(own.KV, w.recorder, etcd3testing.PathPrefix()+resourcePrefix)
	design := "v0.37.2"
	if !utilfeature.DefaultFeatureGate.Enabled(features.ListFromCacheSnapshot) {
		design = "kep-2340-fallback"
	}
	cfg := yardstick.Config{
		Store: w.store, Client: own, PathPrefix: etcd3testing.PathPrefix(), ResourcePrefix: resourcePrefix, NewFunc: newPod,
		Attributes: attributes, Versioner: storage.APIObjectVersioner{}, Codec: w.opts.codec, Transformer: w.opts.transformer,
		Design: design, EstimateSizes: utilfeature.DefaultFeatureGate.Enabled(features.SizeBasedListCostEstimate),
	}
	if w.opts.indexed {
		cfg.Indexed = []string{"spec.nodeName"}
	}
	s, err := yardstick.New(t.Context(), cfg)
	require.NoError(t, err)
	w.Interface = s
	w.compacted = func(*testing.T, int64) {
		s.CompactIfNeeded()
		// A cache with snapshots asks for the newest compaction every 15 seconds, and does not say what it has heard.
		if utilfeature.DefaultFeatureGate.Enabled(features.ListFromCacheSnapshot) {
			time.Sleep(16 * time.Second)
		}
	}
	w.stop = func() {
		s.Stop()
		own.Close()
	}
}

func (w *world) cacher(t *testing.T) {
	cfg := cacher.Config{
		Storage: w.store, Versioner: storage.APIObjectVersioner{}, GroupResource: schema.GroupResource{Resource: "pods"},
		EventsHistoryWindow: cacher.DefaultEventFreshDuration, ResourcePrefix: resourcePrefix,
		KeyFunc:      func(o runtime.Object) (string, error) { return storage.NamespaceKeyFunc(resourcePrefix, o) },
		GetAttrsFunc: attributes, NewFunc: newPod, NewListFunc: newPodList, Codec: w.opts.codec, Clock: clock.RealClock{},
		Indexers: &cache.Indexers{},
	}
	if w.opts.clusterScoped {
		cfg.KeyFunc = func(o runtime.Object) (string, error) { return storage.NoNamespaceKeyFunc(resourcePrefix, o) }
	}
	if w.opts.indexed {
		nodeOf := func(o runtime.Object) string { return o.(*example.Pod).Spec.NodeName }
		cfg.IndexerFuncs = storage.IndexerFuncs{"spec.nodeName": nodeOf}
		cfg.Indexers = &cache.Indexers{
			"f:spec.nodeName":      func(o any) ([]string, error) { return []string{nodeOf(o.(*example.Pod))}, nil },
			"f:metadata.namespace": func(o any) ([]string, error) { return []string{o.(*example.Pod).Namespace}, nil },
		}
	}
	c, err := cacher.NewCacherFromConfig(cfg)
	require.NoError(t, err)
	require.NoError(t, c.Wait(t.Context()))
	d := cacher.NewCacheDelegator(c, w.store)
	w.Interface = d
	// It polls every 15 seconds.
	w.compacted = func(t *testing.T, revision int64) {
		if !utilfeature.DefaultFeatureGate.Enabled(features.ListFromCacheSnapshot) {
			return
		}
		require.Eventually(t, func() bool { return d.CompactRevision() >= revision }, 40*time.Second, 100*time.Millisecond)
	}
	w.stop = func() {
		d.Stop()
		c.Stop()
	}
}

// compact compacts etcd, as API servers do, and waits until the cache has taken it in.
func (w *world) compact(ctx context.Context, t *testing.T, resourceVersion string) {
	revision, err := storage.APIObjectVersioner{}.ParseResourceVersion(resourceVersion)
	require.NoError(t, err)
	version, _, compacted, err := etcd3.Compact(ctx, w.client, 0, int64(revision))
	if err == nil && compacted != int64(revision) {
		// It was compacted before, which the first call finds.
		_, _, _, err = etcd3.Compact(ctx, w.client, version, int64(revision))
	}
	require.NoError(t, err)
	if utilfeature.DefaultFeatureGate.Enabled(features.ListFromCacheSnapshot) {
		require.Eventually(t, func() bool { return w.store.CompactRevision() == int64(revision) }, 20*time.Second, 50*time.Millisecond)
	}
	w.compacted(t, int64(revision))
}

// startOver compacts etcd and starts the cache over: it has no history from before then.
func (w *world) startOver(ctx context.Context, t *testing.T, resourceVersion string) {
	revision, err := storage.APIObjectVersioner{}.ParseResourceVersion(resourceVersion)
	require.NoError(t, err)
	_, err = w.client.Compact(ctx, int64(revision))
	require.NoError(t, err)
	w.stop()
	w.begin(t)
}

func (w *world) increaseRV(ctx context.Context, t *testing.T) int64 {
	written, err := w.client.KV.Put(ctx, "increaseRV", "ok")
	require.NoError(t, err)
	return written.Header.Revision
}

// shown is a storage whose Create returns once the cache has the object.
type shown struct{ storage.Interface }

func (s *shown) Create(ctx context.Context, key string, obj, out runtime.Object, ttl uint64) error {
	if err := s.Interface.Create(ctx, key, obj, out, ttl); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, wait.ForeverTestTimeout, true, func(ctx context.Context) (bool, error) {
		got := newPod()
		err := s.Get(ctx, key, storage.GetOptions{ResourceVersion: "0"}, got)
		if storage.IsNotFound(err) {
			return false, nil
		}
		return err == nil && apiequality.Semantic.DeepEqual(got, out), err
	})
}

// failing is a transformer and a codec that can be told to fail.
type failing struct {
	runtime.Codec
	value.Transformer
	fails atomic.Bool
}

var errSynthetic = fmt.Errorf("synthetic error")

type failingTransformer struct{ *failing }

func (f failingTransformer) TransformFromStorage(ctx context.Context, data []byte, c value.Context) ([]byte, bool, error) {
	if f.fails.Load() {
		return nil, false, errSynthetic
	}
	return f.Transformer.TransformFromStorage(ctx, data, c)
}

func (f failingTransformer) TransformToStorage(ctx context.Context, data []byte, c value.Context) ([]byte, error) {
	return f.Transformer.TransformToStorage(ctx, data, c)
}

type failingCodec struct{ *failing }

func (f failingCodec) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	if f.fails.Load() {
		return nil, nil, errSynthetic
	}
	return f.Codec.Decode(data, defaults, into)
}
