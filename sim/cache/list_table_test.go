package cache_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/wire"
)

// What a row of the LIST table may come to. The cache is at 8: a was changed
// there, c came at 6, the list before that was of 5. Exact is 6, a future version
// 9, the token goes on after a at 6, and a limit is 2.
const (
	// Refused by the validation of the API.
	invalid = "400"

	// What etcd's storage does: its newest state, or that of a revision.
	quorum     = "etcd, newest"
	quorumPage = "etcd, newest, limit 2"
	etcdAt     = "etcd, at 6"
	etcdAtPage = "etcd, at 6, limit 2"
	etcdToken  = "etcd, at 6, after a"
	etcdPage   = "etcd, at 6, after a, limit 2"

	// A consistent read from the cache.
	fresh     = "revision of etcd, cache at 8: a8 b5 c6"
	freshPage = "revision of etcd, cache at 8: a8 b5, token of 8"

	// The cache as it is, or as it was.
	cached     = "cache at 8: a8 b5 c6"
	cachedPage = "cache at 8: a8 b5, token of 8"
	snap       = "cache at 6: a4 b5 c6"
	snapPage   = "cache at 6: a4 b5, token of 6"
	snapToken  = "cache at 6: b5 c6"

	// It waits for version 9, which comes.
	waits     = "waits, cache at 9: a8 b5 c6 d9"
	waitsPage = "waits, cache at 9: a8 b5, token of 9"
)

type listRow struct {
	rv        int64
	match     wire.ResourceVersionMatch
	token     bool
	limit     int64
	etcd, kep string
	shipped   string
}

const (
	unset   = wire.Unset
	exact   = wire.MatchExact
	notOld  = wire.MatchNotOlderThan
	noMatch = wire.MatchUnset
)

// The LIST table of KEP-2340 ("What if the watch cache is stale?"), one row after
// the other as the document has them, with a row for each of "unset / N". The
// columns are the document's "etcd implementation", what it proposes for the
// watch cache, and what v0.37.2 does.
//
// In two rows the document says something else than the code that it describes:
// for RV=0 with a token it has "Quorum read request" for etcd, but a token is
// always read at its own revision (storage.ValidateListOptions).
var listTable = []listRow{
	{unset, noMatch, false, 0, quorum, fresh, fresh},
	{unset, noMatch, false, 2, quorumPage, freshPage, freshPage},
	{unset, noMatch, true, 0, etcdToken, etcdToken, snapToken},
	{unset, noMatch, true, 2, etcdPage, etcdPage, snapToken},
	{unset, exact, false, 0, invalid, invalid, invalid},
	{unset, exact, false, 2, invalid, invalid, invalid},
	{unset, exact, true, 0, invalid, invalid, invalid},
	{unset, exact, true, 2, invalid, invalid, invalid},
	{unset, notOld, false, 0, invalid, invalid, invalid},
	{unset, notOld, false, 2, invalid, invalid, invalid},
	{unset, notOld, true, 0, invalid, invalid, invalid},
	{unset, notOld, true, 2, invalid, invalid, invalid},
	{0, noMatch, false, 0, quorum, cached, cached},
	{0, noMatch, false, 2, quorumPage, cached, cached},
	{0, noMatch, true, 0, etcdToken, etcdToken, snapToken},
	{0, noMatch, true, 2, etcdPage, etcdPage, snapToken},
	{0, exact, false, 0, invalid, invalid, invalid},
	{0, exact, false, 2, invalid, invalid, invalid},
	{0, exact, true, 0, invalid, invalid, invalid},
	{0, exact, true, 2, invalid, invalid, invalid},
	{0, notOld, false, 0, quorum, cached, cached},
	{0, notOld, false, 2, quorumPage, cached, cached},
	{0, notOld, true, 0, etcdToken, etcdToken, invalid},
	{0, notOld, true, 2, etcdPage, etcdPage, invalid},
	{6, noMatch, false, 0, quorum, cached, cached},
	{6, noMatch, false, 2, etcdAtPage, etcdAtPage, snapPage},
	{6, noMatch, true, 0, etcdToken, etcdToken, invalid},
	{6, noMatch, true, 2, etcdPage, etcdPage, invalid},
	{6, exact, false, 0, etcdAt, etcdAt, snap},
	{6, exact, false, 2, etcdAtPage, etcdAtPage, snapPage},
	{6, exact, true, 0, invalid, invalid, invalid},
	{6, exact, true, 2, invalid, invalid, invalid},
	{6, notOld, false, 0, quorum, cached, cached},
	{6, notOld, false, 2, quorumPage, cachedPage, cachedPage},
	{6, notOld, true, 0, invalid, invalid, invalid},
	{6, notOld, true, 2, invalid, invalid, invalid},

	// The same where the cache has yet to get to the version.
	{9, noMatch, false, 0, quorum, waits, waits},
	{9, noMatch, false, 2, "etcd, at 9, limit 2", "etcd, at 9, limit 2", waitsPage},
	{9, exact, false, 0, "etcd, at 9", "etcd, at 9", waits},
	{9, exact, false, 2, "etcd, at 9, limit 2", "etcd, at 9, limit 2", waitsPage},
	{9, notOld, false, 0, quorum, waits, waits},
	{9, notOld, false, 2, quorumPage, waitsPage, waitsPage},
}

func (r *listRow) request() *wire.ListRequest {
	req := &wire.ListRequest{Prefix: prefix, ResourceVersion: r.rv, Match: r.match, Limit: r.limit}
	if r.token {
		req.Continue = token(6, "a\x00")
	}
	return req
}

func (r *listRow) name() string {
	rv := fmt.Sprint(r.rv)
	if r.rv == unset {
		rv = "unset"
	}
	return fmt.Sprintf("RV %s, match %d, token %v, limit %d", rv, r.match, r.token, r.limit)
}

func TestListTable(t *testing.T) {
	for _, r := range listTable {
		t.Run(r.name(), func(t *testing.T) {
			require.Equal(t, r.etcd, listOutcome(t, options(t, "direct"), r.request()), "as etcd serves it")
			require.Equal(t, r.kep, listOutcome(t, options(t, "kep-2340"), r.request()), "as the KEP proposes it")
			require.Equal(t, r.shipped, listOutcome(t, shipped(t), r.request()), "as v0.37.2 does it")
		})
	}
}

// token is Kubernetes' continue token, written here by hand.
func token(rv int64, start string) string {
	start = strings.ReplaceAll(start, "\x00", `\u0000`)
	text := fmt.Sprintf(`{"v":"meta.k8s.io/v1","rv":%d,"start":"%s"}`, rv, start)
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

// shipped is v0.37.2 on an etcd that it trusts.
func shipped(t *testing.T) cache.Options {
	o := options(t, "v0.37.2")
	o.Guard.VersionCheck = guard.VersionCheckNone
	return o
}

// tableBed is the state that the rows begin with.
func tableBed(t *testing.T, o cache.Options) *bed {
	b := newBed(t, config(o))
	a := kv("a", "1", 4)
	b.listed(5, a, kv("b", "1", 5))
	b.send(added("c", "1", 6), modified(a, "2", 8))
	b.settle()
	return b
}

// listOutcome asks a cache and says in words what became of it.
func listOutcome(t *testing.T, o cache.Options, req *wire.ListRequest) string {
	b := tableBed(t, o)
	b.ask(req)
	b.settle()
	return b.becomes(t)
}

func (b *bed) becomes(t *testing.T) string {
	var said []string
	if count[*wire.RangeRequest](b.up) > 0 {
		asked := b.up.inbox[len(b.up.inbox)-1].Payload.(*wire.RangeRequest)
		if asked.Key == prefix && asked.RangeEnd == "" {
			b.answer(&wire.RangeResponse{Revision: 8})
			said = append(said, "revision of etcd")
		} else {
			return describeRange(asked)
		}
	}
	if b.cache.Waiting() > 0 {
		b.send(added("d", "1", 9))
		b.settle()
		said = append(said, "waits")
	}
	require.Len(t, b.down.inbox, 1)
	switch p := b.down.inbox[0].Payload.(type) {
	case *wire.ListResponse:
		require.Equal(t, wire.FromCache, p.Origin)
		said = append(said, describeList(t, p))
	case *wire.Error:
		said = append(said, fmt.Sprint(p.Code.Status()))
	}
	return strings.Join(said, ", ")
}

func describeRange(r *wire.RangeRequest) string {
	s := "etcd, newest"
	if r.Revision > 0 {
		s = fmt.Sprintf("etcd, at %d", r.Revision)
	}
	if start := strings.TrimPrefix(r.Key, prefix); start != "" {
		s += ", after " + strings.TrimSuffix(start, "\x00")
	}
	if r.Limit > 0 {
		s += fmt.Sprintf(", limit %d", r.Limit)
	}
	return s
}

func describeList(t *testing.T, p *wire.ListResponse) string {
	s := fmt.Sprintf("cache at %d:", p.ResourceVersion)
	for _, kv := range p.Items {
		s += fmt.Sprintf(" %s%d", strings.TrimPrefix(kv.Key, prefix), kv.ModRevision)
	}
	if p.Continue == "" {
		return s
	}
	last := strings.TrimPrefix(p.Items[len(p.Items)-1].Key, prefix)
	require.Equal(t, token(p.ResourceVersion, last+"\x00"), p.Continue)
	return s + fmt.Sprintf(", token of %d", p.ResourceVersion)
}

// A future version that does not come ends in 504, whatever was asked of it.
func TestListOfAFutureThatDoesNotCome(t *testing.T) {
	for _, r := range listTable {
		if r.rv != 9 {
			continue
		}
		b := tableBed(t, shipped(t))
		b.ask(r.request())
		b.do("fire cache timeout of read 0: LIST")
		b.settle()
		err, _ := take[*wire.Error](b, b.down)
		require.Equal(t, 504, err.Code.Status(), r.name())
		require.Equal(t, wire.TooLargeResourceVersion, err.Code)
	}
}

// KEP-4988 leaves two ways for a future version. The second asks etcd first: 504
// at once if there is none.
func TestFutureVersionConfirmed(t *testing.T) {
	o := shipped(t)
	o.Reads.ConfirmsFuture = true
	exactly := &wire.ListRequest{Prefix: prefix, ResourceVersion: 9, Match: exact}

	b := tableBed(t, o)
	b.ask(exactly)
	b.settle()
	b.answer(&wire.RangeResponse{Revision: 8})
	err, _ := take[*wire.Error](b, b.down)
	require.Equal(t, 504, err.Code.Status())

	b = tableBed(t, o)
	b.ask(exactly)
	b.settle()
	b.answer(&wire.RangeResponse{Revision: 10})
	require.Equal(t, 1, b.cache.Waiting())
	b.send(added("d", "1", 9), added("e", "1", 10))
	b.settle()
	require.Equal(t, "cache at 9: a8 b5 c6 d9", b.becomes(t))
}

// A continue token with a negative version goes on in the newest state: etcd's,
// or that of the cache once it is fresh.
func TestContinueInTheNewestState(t *testing.T) {
	req := func() *wire.ListRequest {
		return &wire.ListRequest{Prefix: prefix, ResourceVersion: unset, Continue: token(-1, "a\x00")}
	}
	require.Equal(t, "etcd, newest, after a", listOutcome(t, options(t, "kep-2340"), req()))
	require.Equal(t, "revision of etcd, cache at 8: b5 c6", listOutcome(t, shipped(t), req()))
}

// The options of "Pagination", in both versions of KEP-2340: what becomes of a
// consistent list of which two objects fit a page, and of one that fits.
func TestPaginationOptions(t *testing.T) {
	for _, tc := range []struct{ pagination, page, fits, next string }{
		{"first-page", freshPage, fresh, "etcd, at 8, after b, limit 2"},
		{"etcd", quorumPage, "etcd, newest, limit 3", ""},
		{"fits", "revision of etcd, etcd, newest, limit 2", fresh, ""},
		{"kept", freshPage, fresh, "cache at 8: c6"},
		{"ignored", fresh, fresh, ""},
	} {
		t.Run(tc.pagination, func(t *testing.T) {
			o, err := options(t, "kep-2340").With("pagination", tc.pagination)
			require.NoError(t, err)
			ask := func(b *bed, limit int64, token string) string {
				b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: unset, Limit: limit, Continue: token})
				b.settle()
				said := ""
				if r, ok := b.asked(); ok && r.RangeEnd == "" {
					b.answer(&wire.RangeResponse{Revision: 8})
					said = "revision of etcd, "
				}
				return said + b.becomes(t)
			}
			b := tableBed(t, o)
			require.Equal(t, tc.page, ask(b, 2, ""))
			if tc.next != "" {
				first, _ := take[*wire.ListResponse](b, b.down)
				require.Equal(t, tc.next, ask(b, 2, first.Continue))
			}
			require.Equal(t, tc.fits, ask(tableBed(t, o), 3, ""))
		})
	}
}

// asked is the last question that etcd was put.
func (b *bed) asked() (*wire.RangeRequest, bool) {
	if len(b.up.inbox) == 0 {
		return nil, false
	}
	r, ok := b.up.inbox[len(b.up.inbox)-1].Payload.(*wire.RangeRequest)
	return r, ok
}

// TestKeptPagesExpireAndAreBounded: the rest of a list is kept for a limited
// time, and the number of them is limited.
func TestKeptPagesExpireAndAreBounded(t *testing.T) {
	o := options(t, "kep-2340")
	o.Reads.Pagination = read.PaginateKept
	first := func(b *bed) *wire.ListResponse {
		b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: unset, Limit: 1})
		b.settle()
		b.answer(&wire.RangeResponse{Revision: 8})
		page, _ := take[*wire.ListResponse](b, b.down)
		return page
	}
	next := func(b *bed, token string) string {
		b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: unset, Limit: 1, Continue: token})
		b.settle()
		return b.becomes(t)
	}
	b := tableBed(t, o)
	page := first(b)
	// What is kept is the past: changes that come later are not in it.
	b.send(added("aa", "1", 9))
	b.settle()
	require.Equal(t, "cache at 8: b5, token of 8", next(b, page.Continue))
	b.down.inbox = nil
	b.do("fire cache kept pages expire")
	require.Equal(t, "etcd, at 8, after a, limit 1", next(b, page.Continue))

	cfg := config(o)
	cfg.KeptPages = 1
	b = newBed(t, cfg)
	b.listed(8, kv("a", "1", 4), kv("b", "1", 5))
	first(b)
	b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: unset, Limit: 1})
	b.settle()
	b.answer(&wire.RangeResponse{Revision: 8})
	require.Equal(t, 1, b.covered("kept pages dropped for newer ones"))
}

// Every option that does not fit is refused with 400 and a message that names it.
func TestInvalidOptionsAreNamed(t *testing.T) {
	for _, tc := range []struct {
		option string
		req    sim.Payload
	}{
		{"resourceVersionMatch", &wire.ListRequest{Prefix: prefix, ResourceVersion: unset, Match: exact}},
		{"resourceVersionMatch", &wire.ListRequest{Prefix: prefix, ResourceVersion: 0, Match: exact}},
		{"resourceVersionMatch", &wire.ListRequest{Prefix: prefix, ResourceVersion: 6, Match: 7}},
		{"resourceVersionMatch", &wire.ListRequest{Prefix: prefix, ResourceVersion: 6, Match: exact, Continue: token(6, "a")}},
		{"resourceVersion", &wire.ListRequest{Prefix: prefix, ResourceVersion: 6, Continue: token(6, "a")}},
		{"resourceVersion", &wire.ListRequest{Prefix: prefix, ResourceVersion: -2}},
		{"prefix", &wire.ListRequest{Prefix: "/registry/secrets/"}},
		{"prefix", &wire.ListRequest{Prefix: ""}},
		{"key", &wire.GetRequest{Key: "/registry/secrets/a"}},
		{"key", &wire.GetRequest{Key: prefix}},
		{"resourceVersion", &wire.GetRequest{Key: prefix + "a", ResourceVersion: -7}},
		{"continue", &wire.ListRequest{Prefix: prefix, ResourceVersion: unset, Continue: "%"}},
		{"continue", &wire.ListRequest{Prefix: prefix, ResourceVersion: unset, Continue: base64.RawURLEncoding.EncodeToString([]byte("{"))}},
		{"continue", &wire.ListRequest{Prefix: prefix, ResourceVersion: unset, Continue: base64.RawURLEncoding.EncodeToString([]byte(`{"v":"v2","rv":6,"start":"a"}`))}},
		{"continue", &wire.ListRequest{Prefix: prefix, ResourceVersion: unset, Continue: token(0, "a")}},
		{"continue", &wire.ListRequest{Prefix: prefix, ResourceVersion: unset, Continue: token(6, "")}},
		{"continue", &wire.ListRequest{Prefix: prefix, ResourceVersion: unset, Continue: token(6, "../secrets/a")}},
		{"continue", &wire.ListRequest{Prefix: prefix, ResourceVersion: unset, Continue: token(6, "x//y")}},
	} {
		b := tableBed(t, shipped(t))
		b.ask(tc.req)
		b.settle()
		err, _ := take[*wire.Error](b, b.down)
		require.Equal(t, 400, err.Code.Status())
		require.True(t, strings.HasPrefix(err.Message, tc.option+":") || strings.HasPrefix(err.Message, tc.option+" "), err.Message)
		require.Zero(t, count[*wire.RangeRequest](b.up), "etcd was not asked")
	}
}

// The per-request override that KEP-2340 weighs ("Per-request override", and the
// first draft's "Ability to Opt-out"): the cache stays out of it, whatever it has.
func TestPerRequestOverride(t *testing.T) {
	for _, r := range listTable {
		if r.etcd == invalid {
			continue
		}
		req := r.request()
		req.FromEtcd = true
		require.Equal(t, r.etcd, listOutcome(t, options(t, "kep-2340"), req), r.name())
	}
}

// The three ways to learn etcd's revision, as KEP-2340 and its first draft have
// them: a key that is no object's, a count, a range in which nothing can be.
func TestRevisionRequests(t *testing.T) {
	for value, want := range map[string]*wire.RangeRequest{
		"prefix-key":  {Key: prefix},
		"count-only":  {Key: prefix, RangeEnd: "/registry/pods0", CountOnly: true},
		"empty-range": {Key: prefix, RangeEnd: prefix + "\x00", Limit: 1},
	} {
		o, err := options(t, "kep-2340").With("current-revision", value)
		require.NoError(t, err)
		b := tableBed(t, o)
		b.ask(consistentList())
		b.settle()
		require.Equal(t, want, b.answer(&wire.RangeResponse{Revision: 8}), value)
		require.Equal(t, "cache at 8: a8 b5 c6", b.becomes(t))
	}
}
