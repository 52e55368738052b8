package native

import (
	"bytes"
	"cmp"
	"iter"
	"reflect"
	"sync"
	"time"
	"unsafe"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage/cacher"
	"k8s.io/apiserver/pkg/storage/cacher/consistency"
	"k8s.io/apiserver/pkg/storage/cacher/store"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// outside is the host of the storage.
type outside struct {
	sync.Mutex
	// sent is what the storage has sent, and was not handed on yet.
	sent struct {
		sync.Mutex
		messages [][]byte
	}
}

// Send implements apiserver.Host. Any goroutine may call it, with the host's lock or without.
func (o *outside) Send(w *protocol.Writer) {
	o.sent.Lock()
	defer o.sent.Unlock()
	o.sent.messages = append(o.sent.messages, bytes.Clone(w.Bytes))
}

// take is what was sent since the last time.
func (o *outside) take() [][]byte {
	o.sent.Lock()
	defer o.sent.Unlock()
	all := o.sent.messages
	o.sent.messages = nil
	return all
}

// Seed implements apiserver.Host. The runtime of a native program seeds its own generators.
func (*outside) Seed(uint64) {}

// field is a field that a package keeps to itself, of what a pointer or an interface refers to.
func field(of any, name string) reflect.Value {
	f := reflect.Indirect(reflect.ValueOf(of)).FieldByName(name)
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}

func watchCache(c *cacher.Cacher) any { return field(c, "watchCache").Interface() }

// Contents implements apiserver.Cache.
func (*outside) Contents(c *cacher.Cacher) (uint64, iter.Seq[runtime.Object]) {
	w := watchCache(c)
	return field(w, "resourceVersion").Uint(), func(yield func(runtime.Object) bool) {
		all, err := field(w, "storage").Interface().(*store.WatchCacheStorage).StoreLocked().OrderedListPrefix("", "")
		if err != nil {
			panic(err)
		}
		for _, e := range all {
			if !yield(e.(*store.Element).Object) {
				return
			}
		}
	}
}

// Compacted implements apiserver.Cache.
func (*outside) Compacted(c *cacher.Cacher) int64 {
	compactor := field(c, "compactor")
	if compactor.IsNil() {
		return 0
	}
	return field(compactor.Interface(), "compactRevision").Int()
}

// SetHistory implements apiserver.Cache.
func (*outside) SetHistory(c *cacher.Cacher, least, most int, fresh time.Duration) {
	h := field(watchCache(c), "history").Interface()
	if fresh != 0 {
		field(h, "eventFreshDuration").SetInt(int64(fresh))
	}
	if most != 0 {
		field(h, "upperBoundCapacity").SetInt(int64(most))
	}
	if least != 0 {
		field(h, "lowerBoundCapacity").SetInt(int64(least))
		field(h, "capacity").SetInt(int64(least))
		events := field(h, "cache")
		events.Set(reflect.MakeSlice(events.Type(), least, least))
	}
}

// checkPeriod is that of the release.
var checkPeriod = consistency.CheckPeriod

// SetChecks implements apiserver.Cache.
func (*outside) SetChecks(period time.Duration, panics bool) {
	consistency.CheckPeriod, consistency.PanicOnCacheInconsistency = cmp.Or(period, checkPeriod), panics
}

// AscendSnapshots implements apiserver.Cache. Searches alone ask for snapshots.
func (*outside) AscendSnapshots(*cacher.Cacher, func(uint64, iter.Seq[runtime.Object])) {
	panic("native: a search needs a guest in WebAssembly")
}
