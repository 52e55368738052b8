package kubernetes

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/watchbed/watchbed/etcdtest"
)

const prefix = "/registry/configmaps/"

// server is a small watch server of ConfigMaps: what a reflector asks for goes to etcd.
func server(c *clientv3.Client) cache.ListerWatcher {
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
			r, err := c.Get(ctx, prefix, clientv3.WithPrefix())
			if err != nil {
				return nil, err
			}
			list := &corev1.ConfigMapList{ListMeta: metav1.ListMeta{ResourceVersion: strconv.FormatInt(r.Header.Revision, 10)}}
			for _, kv := range r.Kvs {
				list.Items = append(list.Items, *decode(kv.Value, kv.ModRevision))
			}
			return list, nil
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			if o.SendInitialEvents != nil {
				return nil, apierrors.NewBadRequest("there are no watch lists")
			}
			rv, err := strconv.ParseInt(o.ResourceVersion, 10, 64)
			if err != nil {
				return nil, apierrors.NewBadRequest(err.Error())
			}
			ctx, cancel := context.WithCancel(ctx)
			events := make(chan watch.Event)
			go func() {
				defer close(events)
				defer cancel()
				for r := range c.Watch(ctx, prefix, clientv3.WithPrefix(), clientv3.WithRev(rv+1), clientv3.WithPrevKV()) {
					if r.Err() != nil {
						return
					}
					for _, e := range r.Events {
						event := watch.Event{Type: watch.Deleted}
						switch {
						case e.IsCreate():
							event = watch.Event{Type: watch.Added, Object: decode(e.Kv.Value, e.Kv.ModRevision)}
						case e.IsModify():
							event = watch.Event{Type: watch.Modified, Object: decode(e.Kv.Value, e.Kv.ModRevision)}
						default:
							event.Object = decode(e.PrevKv.Value, e.Kv.ModRevision)
						}
						select {
						case events <- event:
						case <-ctx.Done():
							return
						}
					}
				}
			}()
			return watch.NewProxyWatcher(events), nil
		},
	}
}

func decode(text []byte, revision int64) *corev1.ConfigMap {
	o := new(corev1.ConfigMap)
	if err := json.Unmarshal(text, o); err != nil {
		panic(err)
	}
	o.ResourceVersion = strconv.FormatInt(revision, 10)
	return o
}

// put writes an object, and returns its resourceVersion.
func put(ctx context.Context, c *clientv3.Client, name, owner string) (int64, error) {
	text, err := json.Marshal(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"owner": owner}}})
	if err != nil {
		return 0, err
	}
	r, err := c.Put(ctx, prefix+name, string(text))
	if err != nil {
		return 0, err
	}
	return r.Header.Revision, nil
}

// reconciler gives each parent one child. If it waits, it does nothing until its informer shows what it wrote last.
type reconciler struct {
	client   *clientv3.Client
	informer cache.SharedInformer
	waits    bool
	wrote    int64
	children int
}

func (r *reconciler) reconcile(ctx context.Context) {
	if rv, err := strconv.ParseInt(r.informer.LastSyncResourceVersion(), 10, 64); r.waits && (err != nil || rv < r.wrote) {
		return
	}
	objects := r.informer.GetStore().List()
	for _, o := range objects {
		if parent := o.(*corev1.ConfigMap); parent.Labels["owner"] == "" && !owns(objects, parent.Name) {
			r.children++
			if wrote, err := put(ctx, r.client, parent.Name+"-"+strconv.Itoa(r.children), parent.Name); err == nil {
				r.wrote = wrote
			}
			return
		}
	}
}

func owns(objects []any, owner string) bool {
	for _, o := range objects {
		if o.(*corev1.ConfigMap).Labels["owner"] == owner {
			return true
		}
	}
	return false
}

// use has a person create three parents, and counts their children.
func use(waits bool) func(*etcdtest.T) {
	return func(t *etcdtest.T) {
		controller, person := t.Client(), t.Client()
		informer := cache.NewSharedInformer(server(controller), &corev1.ConfigMap{}, 0)
		r := &reconciler{client: controller, informer: informer, waits: waits}
		go informer.RunWithContext(t.Context())
		t.Go("person", func() {
			for i := range 3 {
				_, _ = put(t.Context(), person, "parent-"+strconv.Itoa(i), "")
				time.Sleep(time.Duration(t.Rand().IntN(300)) * time.Millisecond)
			}
		})
		t.Go("controller", func() {
			for range 100 {
				if informer.HasSynced() {
					r.reconcile(t.Context())
				}
				time.Sleep(50 * time.Millisecond)
			}
		})
		t.Cleanup(func() {
			children := map[string]int{}
			got, err := person.Get(t.Context(), prefix, clientv3.WithPrefix())
			require.NoError(t, err)
			for _, kv := range got.Kvs {
				if owner := decode(kv.Value, 0).Labels["owner"]; owner != "" {
					children[owner]++
				}
			}
			for owner, n := range children {
				require.Equal(t, 1, n, "children of %s", owner)
			}
		})
	}
}

var config = etcdtest.Config{Schedules: 100, Faults: &etcdtest.Faults{Breaks: 2, Partitions: 1, Within: 3 * time.Second}}

// TestReconcilerSeesItsOwnWrites: it waits for them (KEP-5647).
func TestReconcilerSeesItsOwnWrites(t *testing.T) { etcdtest.Run(t, config, use(true)) }

// TestStaleReconciler makes a second child of a parent, since its informer does not show the first one yet (kubernetes
// #129795). It runs in a process of its own, as it fails.
func TestStaleReconciler(t *testing.T) {
	if os.Getenv("STALE") != "" {
		etcdtest.Run(t, config, use(false))
		return
	}
	c := exec.Command(os.Args[0], "-test.run=^TestStaleReconciler$")
	c.Env = append(os.Environ(), "STALE=1")
	out, err := c.CombinedOutput()
	require.Error(t, err, "%s", out)
	require.Contains(t, string(out), "of 100 schedules the test fails in ")
	_, story, _ := strings.Cut(string(out), "children of parent-")
	require.Regexp(t, `(?s)Put /registry/configmaps/parent-\d-1=.* by controller\n.*Put /registry/configmaps/parent-\d-2=.* by controller\n`, story)
	t.Logf("%s", out)
}
