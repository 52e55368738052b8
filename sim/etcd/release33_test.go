package etcd_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
)

// responses are the watch responses that came.
func responses(b *bench) []*wire.WatchResponse {
	var all []*wire.WatchResponse
	for _, p := range b.user.told {
		if r, ok := p.(*wire.WatchResponse); ok {
			all = append(all, r)
		}
	}
	return all
}

// mvcc/watcher.go of 3.3.27 has Watch(key, end []byte, startRev int64, fcs ...FilterFunc):
// no id is passed, and the next number is taken. That of 3.4.0 takes the id "when it's not
// equal to AutoWatchID".
func TestWatchIDsAreCountedBefore34(t *testing.T) {
	for v, want := range map[string][]int64{"3.3.13": {0, 1}, "3.3.27": {0, 1}, "3.4.0": {7, 0}} {
		b := newBench(t, v)
		named := create("/a", 0)
		named.WatchID = 7
		b.request("w", named).settle()
		b.request("w", create("/b", 0)).settle()
		var ids []int64
		for _, r := range responses(b) {
			ids = append(ids, r.WatchID)
		}
		require.Equal(t, want, ids, v)
	}
}

// recvLoop of 3.3.27 answers a range without keys with Canceled: id == -1 and no
// CancelReason; that of 3.4.0 sets it to err.Error().
func TestRefusalsHaveNoReasonBefore34(t *testing.T) {
	for v, want := range map[string]string{"3.3.13": "", "3.3.27": "", "3.4.0": "mvcc: watcher range is empty"} {
		b := newBench(t, v)
		empty := create("/b", 0)
		empty.RangeEnd = "/a"
		b.request("w", empty).settle()
		require.Len(t, responses(b), 1, v)
		r := responses(b)[0]
		require.True(t, r.Created && r.Canceled, v)
		require.Equal(t, wire.InvalidWatchID, r.WatchID, v)
		require.Equal(t, want, r.CancelReason, v)
	}
}

// WatchCreateRequest of 3.3.13 has no field fragment, and recvLoop no case for it.
func TestResponsesAreWholeBefore3314(t *testing.T) {
	for v, want := range map[string]int{"3.3.13": 1, "3.3.14": 2} {
		b := newBench(t, v, func(c *etcd.Config) { c.Watch.FragmentBytes = 1000 })
		b.put("/a", strings.Repeat("x", 600)).put("/a", strings.Repeat("y", 600))
		split := create("/a", 2)
		split.Fragment = true
		b.request("w", split).settle().step("fire etcd syncWatchersLoop").settle()
		var parts int
		for _, r := range responses(b) {
			if len(r.Events) > 0 {
				parts++
			}
		}
		require.Equal(t, want, parts, v)
	}
}
