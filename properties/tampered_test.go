package properties_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/etcdapi"
	_ "github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/compactor"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// tamperer changes one field of one message on its way. Other observers must not
// change anything; a tamperer does so on purpose.
type tamperer struct {
	path []string
	// by is what a number is raised by.
	by int64
	// after is how many messages with the field are left alone first.
	after int
	// anyNode: the message may be on its way to a cache. Otherwise it is one to a
	// client.
	anyNode bool
	done    bool
}

// Observe implements sim.Observer.
func (t *tamperer) Observe(w *sim.World, e *sim.Event) {
	if t.done || e.Kind != sim.Acted {
		return
	}
	m := w.Pending(e.Action)
	if m == nil || !t.anyNode && isServer(w.Node(m.To)) {
		return
	}
	of := reflect.TypeOf(m.Payload)
	if of.Elem().Name() != t.path[0] {
		return
	}
	changed := reflect.New(of.Elem())
	changed.Elem().Set(reflect.ValueOf(m.Payload).Elem())
	if !change(changed.Elem(), t.path[1:], t.by) {
		return
	}
	if t.after > 0 {
		t.after--
		return
	}
	m.Payload = changed.Interface().(sim.Payload)
	t.done = true
}

func isServer(n sim.Node) bool {
	switch n.(type) {
	case *cache.Cache, *etcd.Server, *compactor.Compactor:
		return true
	}
	return strings.HasPrefix(fmt.Sprintf("%T", n), "*client.")
}

// change changes the field at the end of a path, a number by the one given, and copies what
// leads there. It returns false if the message does not have the field.
func change(v reflect.Value, path []string, by int64) bool {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return false
		}
		to := reflect.New(v.Type().Elem())
		to.Elem().Set(v.Elem())
		v.Set(to)
		return change(to.Elem(), path, by)
	case reflect.Slice:
		to := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(to, v)
		v.Set(to)
		for i := range to.Len() {
			if change(to.Index(i), path, by) {
				return true
			}
		}
		return false
	case reflect.Struct:
		return change(v.FieldByName(path[0]), path[1:], by)
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Uint8:
		if v.Type() == reflect.TypeFor[wire.Code]() {
			// Another one of the first four, which are judged.
			v.SetUint(v.Uint()%uint64(wire.TooManyRequests) + 1)
			return true
		}
		v.SetUint(v.Uint() ^ 1)
	case reflect.Int64, reflect.Int:
		v.SetInt(v.Int() + by)
	}
	return true
}

// attempts is how many runs of each scenario a change has to be noticed in: in half of
// them it is the first message with the field that is changed.
const attempts = 400

// TestTamperingIsNoticed changes each judged field, one message in a run. Of the
// properties that are said to judge it, each must notice. Unless tests have their full size
// every third field is changed, or every tenth.
func TestTamperingIsNoticed(t *testing.T) {
	for i, f := range table() {
		if i%testsize.Of(1, 10) != 0 {
			continue
		}
		for _, p := range f.judgedBy {
			t.Run(f.path+"/"+p.Name, func(t *testing.T) {
				t.Parallel()
				assert.True(t, notices(t, f.path, 1, p), "%s does not notice another %s", p.Name, f.path)
			})
		}
	}
}

// TestOlderRevisionsOfLeasesAreNoticed: the header of an answer about a lease is no older than
// its request. That of a keep-alive is made before the request is carried out.
func TestOlderRevisionsOfLeasesAreNoticed(t *testing.T) {
	for _, answer := range []string{"LeaseGrantResponse", "LeaseRevokeResponse", "LeaseKeepAliveResponse", "LeaseTimeToLiveResponse"}[:testsize.Of(4, 1)] {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			assert.True(t, notices(t, answer+".Revision", -1, etcdapi.Answers))
		})
	}
}

func notices(t *testing.T, path string, by int64, p *testbed.Property) bool {
	for _, sc := range testbed.Scenarios() {
		if len(sc.Params.Bugs) > 0 || !slices.Contains(sc.Claims, p) {
			continue
		}
		if at := noticedIn(t, sc, path, by, p); at != "" {
			t.Log(at)
			return true
		}
	}
	return false
}

// noticedIn is the violation that a change leads to in a scenario, empty if no
// change does. A violation without a change does not count.
func noticedIn(t *testing.T, sc *testbed.Scenario, path string, by int64, p *testbed.Property) string {
	s, err := sc.New(sc.Params)
	require.NoError(t, err)
	runner := explore.NewRunner(s, sc.Params.Clock.Steps)
	random, err := strategy.Find("random")
	require.NoError(t, err)
	chooser := random.New(strategy.Profile{})
	violation := func(seed uint64) string {
		chooser.Begin(seed)
		res := runner.Run(chooser)
		for i := range res.Findings {
			if f := &res.Findings[i]; f.Property == p.Name && f.Verdict == model.Violated {
				return f.Why.String()
			}
		}
		return ""
	}
	steps := strings.Split(path, ".")
	never := 0
	for seed := range uint64(attempts) {
		of := &tamperer{path: steps, by: by, after: int(seed%2) * int(seed%5), anyNode: forServers[steps[0]]}
		runner.Observe(of)
		why := violation(seed)
		if !of.done {
			if never++; never == 100 {
				return ""
			}
			continue
		}
		if why == "" {
			continue
		}
		runner.Observe(nil)
		if violation(seed) == "" {
			return sc.Name + ": " + why
		}
	}
	return ""
}

// forServers are the messages of which only caches and compactors make use.
var forServers = map[string]bool{"RangeResponse": true, "StatusResponse": true, "CompactRevisionResponse": true}
