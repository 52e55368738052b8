package proofs_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// readings are the readings of the clock in what a node consists of, by the field that has them.
type readings struct {
	fields map[string][]reflect.Value
	seen   map[unsafe.Pointer]bool
}

var timeType = reflect.TypeFor[sim.Time]()

func (r *readings) in(v reflect.Value, field string) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || r.seen[v.UnsafePointer()] {
			return
		}
		r.seen[v.UnsafePointer()] = true
		r.in(v.Elem(), v.Type().Elem().String())
	case reflect.Interface:
		if !v.IsNil() {
			r.in(v.Elem(), field)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			r.in(v.Field(i), v.Type().String()+"."+f.Name)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			r.in(v.Index(i), field)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			r.in(v.MapIndex(k), field)
		}
	default:
		if v.Type() == timeType && v.CanAddr() {
			r.fields[field] = append(r.fields[field], reflect.NewAt(timeType, v.Addr().UnsafePointer()).Elem())
		}
	}
}

func behaviour(n sim.Node) sim.Digest {
	if r, records := n.(sim.Recorder); records {
		return r.Behaviour(sim.NewDigest)
	}
	return n.(sim.Fingerprinter).Fingerprint(sim.NewDigest)
}

// notTold are the readings of the clock on which nothing depends that a node does, and why.
var notTold = map[string]string{
	"clientv3.Outage.Broke":      records,
	"clientv3.Outage.Reopened":   records,
	"dispatch.Dispatcher.began":  records,
	"dispatch.Wait.Began":        records,
	"flowcontrol.Grant.At":       records,
	"flowcontrol.Refusal.At":     records,
	"informer.Exchange.Over":     records,
	"informer.Exchange.Sent":     records,
	"cache.Kill.At":              records,
	"reflector.Ending.Began":     records,
	"reflector.Ending.Over":      records,
	"reflector.Turn.Began":       records,
	"reflector.Turn.Over":        records,
	"workload.Attempt.Call":      records,
	"workload.Attempt.Return":    records,
	"workload.Attempt.Wanted":    records,
	"workload.EtcdWatch.endedAt": records,
	"workload.Stream.Began":      records,
	"workload.Stream.Ended":      records,
	"workload.Poller.wanted":     records,
	"workload.Response.At":       records,
	"workload.Span.Return":       records,

	"workload.EtcdWatch.firstRequest": records,

	"check.checker.began":        "a metric is made of it",
	"dispatch.asked.began":       "a metric is made of it",
	"informer.Informer.began":    "a metric is made of it",
	"sim.Message.due":            "the message has arrived",
	"workload.PollerPlan.Healed": "the same in all runs",
}

const records = "a record for judges"

// Two states are taken for one if their nodes have equal fingerprints. Where a node keeps a reading of
// the clock on which it depends what the node does, the reading is in its fingerprint.
func TestFingerprintsTellReadingsOfTheClock(t *testing.T) {
	told, met := map[string]bool{}, map[string]bool{}
	for _, sc := range testbed.Scenarios() {
		s, err := sc.New(sc.Params)
		require.NoError(t, err)
		if s.Options().Mode != sim.Timed {
			continue
		}
		for seed := range uint64(testsize.Of(2, 1)) {
			w, r := sim.NewWorld(s.Options()), rand.New(rand.NewPCG(seed, 4))
			explore.Begin(s, w, &explore.Combination{})
			for i := range 1500 {
				enabled := w.Enabled()
				if len(enabled) == 0 || s.Over(w) {
					break
				}
				w.Do(&explore.Combination{}, enabled[r.IntN(len(enabled))])
				for n := sim.NodeID(1); i%50 == 0 && int(n) < w.Nodes(); n++ {
					tellReadings(w.Node(n), told, met)
				}
			}
		}
	}
	for field := range met {
		if told[field] {
			require.Empty(t, notTold[field], "%s is in a fingerprint", field)
		} else {
			require.NotEmpty(t, notTold[field], "%s is in no fingerprint, and no reason is given", field)
		}
	}
	require.Contains(t, told, "mvcc.syncLoop.lastSync")
}

// tellReadings notes which readings a node has, and which of them its fingerprint tells.
func tellReadings(n sim.Node, told, met map[string]bool) {
	found := readings{map[string][]reflect.Value{}, map[unsafe.Pointer]bool{}}
	found.in(reflect.ValueOf(n), "")
	before := behaviour(n)
	for field, values := range found.fields {
		for _, v := range values {
			is := v.Int()
			if is == 0 || told[field] {
				// It may not have been read.
				continue
			}
			met[field] = true
			v.SetInt(is + int64(time.Hour))
			if behaviour(n) != before {
				told[field] = true
			}
			v.SetInt(is)
		}
	}
}
