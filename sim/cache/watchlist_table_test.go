package cache_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

// watchRow is one case of KEP-2340's table of WATCH requests. The cache has
// listed a at resourceVersion 5 and seen b at 6. etcd is at 8: c at 7 and a
// progress notification at 8 are on their way, and d at 9 comes after all that.
type watchRow struct {
	rv    int64
	match wire.ResourceVersionMatch
	send  wire.SendInitialEvents

	// invalid is the option that the 400 has to name; the rest is empty then.
	invalid string
	// etcd is what the storage without a cache is asked for.
	etcd *wire.WatchStart
	// asks: the cache reads etcd's revision first.
	asks bool
	// kep and shipped are what the cache sends: at once, after 7 and 8, and after
	// 9. A nil kep is a watch that the KEP sends to etcd.
	kep, shipped [][]string
}

const (
	noSay = wire.SendInitialEventsUnset
	no    = wire.SendInitialEventsFalse
	yes   = wire.SendInitialEventsTrue
)

var (
	quorumListAndStream = &wire.WatchStart{Prefix: prefix, SendInitialEvents: yes}
	quorumListWithEnd   = &wire.WatchStart{Prefix: prefix, SendInitialEvents: yes, AllowBookmarks: true}
	streamFromEtcd      = &wire.WatchStart{Prefix: prefix, SendInitialEvents: no}

	nothing    []string
	addA, addB = "ADDED@3 a", "ADDED@6 b"
	addC, addD = "ADDED@7 c", "ADDED@9 d"
	end6, end8 = "BOOKMARK@6 end", "BOOKMARK@8 end"
	gone       = [][]string{{"ERROR@0 compacted", "closed"}, nothing, nothing}
	// A watch that waits is sent nothing before 8.
	waited = [][]string{nothing, {addA, addB, addC, end8}, {addD}}
)

func streamFrom(rv int64, send wire.SendInitialEvents) *wire.WatchStart {
	return &wire.WatchStart{Prefix: prefix, Revision: rv, SendInitialEvents: send}
}

func listFrom(rv int64) *wire.WatchStart {
	return &wire.WatchStart{Prefix: prefix, Revision: rv, SendInitialEvents: yes, AllowBookmarks: true}
}

// The table, row by row, from the document. What was shipped differs in the watch
// that gives no option: it is served from the cache. The document has etcd's
// storage check a given RV with "false" as well; k8s.io/apiserver 0.37 checks it
// with "true" only, which is sim/client's to show.
var watchTable = func() []watchRow {
	row := func(rv int64, match wire.ResourceVersionMatch, send wire.SendInitialEvents, etcd *wire.WatchStart, asks bool, all ...[]string) watchRow {
		return watchRow{rv: rv, match: match, send: send, etcd: etcd, asks: asks, kep: all, shipped: all}
	}
	fails := func(rv int64, match wire.ResourceVersionMatch, send wire.SendInitialEvents, option string) watchRow {
		return watchRow{rv: rv, match: match, send: send, invalid: option}
	}
	table := []watchRow{
		{rv: unset, etcd: quorumListAndStream, shipped: [][]string{{addA, addB}, {addC}, {addD}}},
		fails(unset, noMatch, no, "resourceVersionMatch"),
		fails(unset, noMatch, yes, "resourceVersionMatch"),
		fails(unset, notOld, noSay, "sendInitialEvents"),
		row(unset, notOld, no, streamFromEtcd, true, nothing, nothing, []string{addD}),
		row(unset, notOld, yes, quorumListWithEnd, true, waited...),
		fails(unset, exact, noSay, "resourceVersionMatch"),
		fails(unset, exact, no, "resourceVersionMatch"),
		fails(unset, exact, yes, "resourceVersionMatch"),

		row(0, noMatch, noSay, quorumListAndStream, false, []string{addA, addB}, []string{addC}, []string{addD}),
		fails(0, noMatch, no, "resourceVersionMatch"),
		fails(0, noMatch, yes, "resourceVersionMatch"),
		fails(0, notOld, noSay, "sendInitialEvents"),
		row(0, notOld, no, streamFromEtcd, false, nothing, []string{addC}, []string{addD}),
		row(0, notOld, yes, quorumListWithEnd, false, []string{addA, addB, end6}, []string{addC}, []string{addD}),
		fails(0, exact, noSay, "resourceVersionMatch"),
		fails(0, exact, no, "resourceVersionMatch"),
		fails(0, exact, yes, "resourceVersionMatch"),
	}
	// RV is one that the history reaches back to (5), one that it does not (4),
	// or one that the cache has not come to (8).
	table = append(table,
		row(5, noMatch, noSay, streamFrom(5, noSay), false, []string{addB}, []string{addC}, []string{addD}),
		row(4, noMatch, noSay, streamFrom(4, noSay), false, gone...),
		row(8, noMatch, noSay, streamFrom(8, noSay), false, nothing, nothing, []string{addD}),
		row(5, notOld, no, streamFrom(5, no), false, []string{addB}, []string{addC}, []string{addD}),
		row(4, notOld, no, streamFrom(4, no), false, gone...),
		row(8, notOld, no, streamFrom(8, no), false, nothing, nothing, []string{addD}),
		row(5, notOld, yes, listFrom(5), false, []string{addA, addB, end6}, []string{addC}, []string{addD}),
		row(4, notOld, yes, listFrom(4), false, []string{addA, addB, end6}, []string{addC}, []string{addD}),
		row(8, notOld, yes, listFrom(8), false, waited...),
	)
	for _, rv := range []int64{4, 5, 8} {
		table = append(table,
			fails(rv, noMatch, no, "resourceVersionMatch"),
			fails(rv, noMatch, yes, "resourceVersionMatch"),
			fails(rv, notOld, noSay, "sendInitialEvents"),
			fails(rv, exact, noSay, "resourceVersionMatch"),
			fails(rv, exact, no, "resourceVersionMatch"),
			fails(rv, exact, yes, "resourceVersionMatch"),
		)
	}
	return table
}()

func (r *watchRow) name() string {
	names := []string{"-", "0", strconv.FormatInt(r.rv, 10)}
	rv := names[min(max(r.rv+1, 0), 2)]
	return rv + "/" + []string{"-", "NotOlderThan", "Exact"}[r.match] + "/" + []string{"-", "false", "true"}[r.send]
}

func (r *watchRow) request() *wire.WatchRequest {
	return &wire.WatchRequest{Prefix: prefix, ResourceVersion: r.rv, Match: r.match, SendInitialEvents: r.send, AllowBookmarks: true}
}

// watchTableBed is a cache at 6, which has an object of 3 and one of 6.
func watchTableBed(t *testing.T, delegation string) *bed {
	o, err := options(t, "kep-2340").With("watch-delegation", delegation)
	require.NoError(t, err)
	b := newBed(t, config(o))
	b.listed(5, kv("a", "1", 3))
	b.send(added("b", "1", 6))
	b.settle()
	return b
}

func TestWatchesFollowTheTableOfKEP2340(t *testing.T) {
	for _, r := range watchTable {
		for column, delegation := range map[string]string{"etcd": "all", "kep": "unset", "shipped": "none"} {
			t.Run(r.name()+" "+column, func(t *testing.T) {
				b := watchTableBed(t, delegation)
				b.ask(r.request())
				b.settle()
				want := map[string][][]string{"kep": r.kep, "shipped": r.shipped}[column]
				switch {
				case r.invalid != "":
					e, _ := take[*wire.WatchEvent](b, b.down)
					require.Equal(t, 400, e.Err.Code.Status())
					require.Contains(t, e.Err.Message, r.invalid)
				case want == nil:
					start, _ := take[*wire.WatchStart](b, b.up)
					require.Equal(t, r.etcd, start)
				default:
					r.judge(b, want)
				}
			})
		}
	}
}

func (r *watchRow) judge(b *bed, want [][]string) {
	t := b.t
	if r.asks {
		require.Empty(t, b.seen())
		require.Equal(t, &wire.RangeRequest{Key: prefix}, b.answer(&wire.RangeResponse{Revision: 8}))
	}
	require.Zero(t, count[*wire.RangeRequest](b.up))
	require.Equal(t, want[0], b.seen(), "at once")
	b.send(added("c", "1", 7), bookmark(8))
	b.settle()
	require.Equal(t, want[1], b.seen(), "after 7 and 8")
	b.send(added("d", "1", 9))
	b.settle()
	require.Equal(t, want[2], b.seen(), "after 9")
}

// Only a watch with initial events waits. In the end it is sent 504, as an ERROR
// event with its cause.
func TestOnlyInitialEventsWaitForTheCache(t *testing.T) {
	for _, rv := range []int64{unset, 0, 5, 8} {
		for _, send := range []wire.SendInitialEvents{no, yes} {
			b := watchTableBed(t, "none")
			b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: rv, Match: notOld, SendInitialEvents: send})
			b.settle()
			if rv == unset {
				b.answer(&wire.RangeResponse{Revision: 8})
			}
			b.seen()
			if send == no || rv == 0 || rv == 5 {
				require.False(t, b.can("timeout of read"))
				continue
			}
			b.do("timeout of read")
			b.settle()
			e, _ := take[*wire.WatchEvent](b, b.down)
			require.Equal(t, 504, e.Err.Code.Status())
			require.Equal(t, wire.TooLargeResourceVersion, e.Err.Code)
			require.Equal(t, 1, e.Err.RetryAfter)
			require.Equal(t, []string{"closed"}, b.seen())
		}
	}
}

// What no client library sends is refused as well.
func TestMalformedWatchIsRefused(t *testing.T) {
	for option, req := range map[string]*wire.WatchRequest{
		"resourceVersion":      {Prefix: prefix, ResourceVersion: -2},
		"sendInitialEvents":    {Prefix: prefix, Match: notOld, SendInitialEvents: 7},
		"resourceVersionMatch": {Prefix: prefix, Match: 9, SendInitialEvents: yes},
	} {
		b := watchTableBed(t, "none")
		b.ask(req)
		b.settle()
		e, _ := take[*wire.WatchEvent](b, b.down)
		require.Equal(t, 400, e.Err.Code.Status())
		require.Contains(t, e.Err.Message, option)
	}
}

// Without an answer of etcd the watch fails as the read of its revision did.
func TestAWatchFailsWithTheReadOfItsRevision(t *testing.T) {
	b := watchTableBed(t, "none")
	b.ask(watchList(unset))
	b.settle()
	b.answer(&wire.Error{Code: wire.Unavailable, Message: "no leader"})
	require.Equal(t, []string{"ERROR@0 unavailable", "closed"}, b.seen())
}

func TestACacheThatIsNotReadyRefusesWatches(t *testing.T) {
	b := newBed(t, config(cache.Options{}))
	b.ask(watchList(0))
	b.settle()
	require.Equal(t, []string{"ERROR@0 too many requests", "closed"}, b.seen())
}
