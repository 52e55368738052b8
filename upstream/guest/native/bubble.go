package native

import (
	"fmt"
	"reflect"
	"time"
	_ "unsafe" // for go:linkname
)

// watchbedCtxCh is the channel on which all contexts of the client library's watchers wait: valCtxCh of package
// clientv3. A goroutine that waits for a channel of another bubble does not count as waiting.
//
//go:linkname watchbedCtxCh go.etcd.io/etcd/client/v3.valCtxCh
var watchbedCtxCh chan struct{}

// acquire and release give the bubble of the calling goroutine. The linker lets nothing but the distribution call them,
// unless it is told -checklinkname=0.
//
//go:linkname acquire internal/synctest.acquire
func acquire() any

//go:linkname release internal/synctest.release
func release(any)

// bubble is one of testing/synctest: its clock stands still until all goroutines wait, and then goes on to the next
// timer.
type bubble struct {
	// began is the bubble's clock at time 0 of the run.
	began time.Time
}

func newBubble() bubble {
	watchbedCtxCh = make(chan struct{})
	return bubble{time.Now()}
}

// advance lets the clock go on to a time of the run. Timers before it, and at it, go off.
func (b bubble) advance(now int64) {
	if wait := time.Duration(now) - time.Since(b.began); wait > 0 {
		time.Sleep(wait)
	}
}

// next is the time for which the bubble's goroutines wait, 0 if for none. It is read out of the runtime, since a bubble
// tells no one before it goes there; and it may be that of a timer that has been stopped.
func (b bubble) next() (int64, error) {
	of := acquire()
	if of == nil {
		return 0, fmt.Errorf("the native guest runs outside a bubble of testing/synctest")
	}
	defer release(of)
	first, err := firstTimer(reflect.ValueOf(of).Elem())
	if err != nil || first == 0 {
		return 0, err
	}
	return max(first-b.began.UnixNano(), 1), nil
}

// firstTimer is what runtime.timers.wakeTime says of a bubble's timers.
func firstTimer(of reflect.Value) (int64, error) {
	first := int64(0)
	for _, name := range []string{"minWhenModified", "minWhenHeap"} {
		when := of
		for _, field := range []string{"timers", name, "value"} {
			if when.Kind() == reflect.Struct {
				when = when.FieldByName(field)
			}
		}
		if when.Kind() != reflect.Int64 {
			return 0, fmt.Errorf("a bubble of this release of Go has no timers.%s: the package has to be adapted to it", name)
		}
		if at := when.Int(); at != 0 && (first == 0 || at < first) {
			first = at
		}
	}
	return first, nil
}
