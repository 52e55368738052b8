package cache_test

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

// tape settles everything that a run leaves open: bytes from a fuzzer.
type tape struct {
	bytes []byte
}

func (p *tape) next(n int) int {
	if len(p.bytes) == 0 {
		return 0
	}
	b := p.bytes[0]
	p.bytes = p.bytes[1:]
	return int(b) % n
}

func (p *tape) Pick(_ *sim.World, enabled []sim.Action) int { return p.next(len(enabled)) }

func (p *tape) Choose(_ *sim.World, n int, _ string) int { return p.next(n) }

// cellClient is the state of a client of these tests.
var cellClient = sim.NewCell("cache test: client")

// stranger sends any request with any options, well-formed or not, and checks
// that the answers make sense.
type stranger struct {
	sim.Idle
	t      *testing.T
	tokens []string
	failed []sim.Conn
	// told counts the answers by HTTP status, 0 for a good one.
	told map[int]int
	// last is how many requests it may still send before it stops; 0 is no limit.
	last int
}

func (s *stranger) Start(env *sim.Env) { env.Enable(0) }

func (s *stranger) Run(env *sim.Env, _ sim.Task) {
	env.Write(cellClient, 0)
	if s.last--; s.last != 0 {
		env.Enable(0)
	}
	prefixes := []string{prefix, prefix, prefix, prefix, prefix, strings.TrimSuffix(prefix, "/"), prefix + "a", prefix + "x/", "", "/", "/registry/secrets/", "\x00"}
	rv := int64(env.Choose(14, "resourceVersion")) - 3
	switch env.Choose(8, "what") {
	case 0:
		env.Call(cacheID, &wire.GetRequest{Key: prefixes[env.Choose(len(prefixes), "key")], ResourceVersion: rv})
	case 1, 2:
		conn := env.Open(cacheID)
		env.Send(conn, &wire.WatchRequest{
			Prefix: prefixes[env.Choose(len(prefixes), "prefix")], ResourceVersion: rv,
			Match:             match(env),
			SendInitialEvents: wire.SendInitialEvents(env.Choose(4, "sendInitialEvents")),
			AllowBookmarks:    env.Choose(2, "allowWatchBookmarks") == 1,
		})
		if env.Choose(4, "leaves") == 0 {
			env.Close(conn)
		}
	default:
		env.Call(cacheID, &wire.ListRequest{
			Prefix: prefixes[env.Choose(len(prefixes), "prefix")], ResourceVersion: rv,
			Match: match(env), Limit: int64(env.Choose(5, "limit")) - 1,
			Continue: s.token(env), FromEtcd: env.Choose(8, "from etcd") == 7,
		})
	}
}

// match is mostly none.
func match(env *sim.Env) wire.ResourceVersionMatch {
	return wire.ResourceVersionMatch(max(0, env.Choose(8, "match")-4))
}

// token is empty, a token of the cache, a changed token of the cache, or noise.
func (s *stranger) token(env *sim.Env) string {
	how := env.Choose(8, "continue")
	switch {
	case how < 4:
		return ""
	case how == 4 || len(s.tokens) == 0:
		return []string{"%", "e30", token(6, ""), token(0, "a"), token(-1, "a"), token(9e15, "a"), token(3, "../../a"), token(3, "//")}[env.Choose(8, "token")]
	case how == 5:
		text, err := base64.RawURLEncoding.DecodeString(s.tokens[0])
		require.NoError(s.t, err)
		text[env.Choose(len(text), "byte")] ^= byte(1 + env.Choose(255, "bits"))
		return base64.RawURLEncoding.EncodeToString(text)
	}
	return s.tokens[env.Choose(len(s.tokens), "token")]
}

func (s *stranger) Receive(env *sim.Env, m *sim.Message) {
	env.Write(cellClient, 0)
	switch p := m.Payload.(type) {
	case *wire.ListResponse:
		s.told[0]++
		if p.Continue != "" && len(s.tokens) < 8 {
			s.tokens = append(s.tokens, p.Continue)
		}
	case *wire.GetResponse:
		s.told[0]++
	case *wire.Error:
		s.refused(p)
	case *wire.WatchEvent:
		require.NotContains(s.t, s.failed, m.Conn, "an event came after an ERROR event")
		if p.Type == wire.Failed {
			s.failed = append(s.failed, m.Conn)
			s.refused(p.Err)
		}
	}
}

func (s *stranger) refused(err *wire.Error) {
	s.told[err.Code.Status()]++
	require.NotZero(s.t, err.Code.Status())
	require.NotEmpty(s.t, err.Message)
	if err.Code != wire.BadRequest {
		return
	}
	for _, option := range []string{"resourceVersionMatch", "resourceVersion", "continue", "prefix", "key", "sendInitialEvents"} {
		if strings.HasPrefix(err.Message, option) {
			return
		}
	}
	require.Fail(s.t, "names no option", err.Message)
}

func (s *stranger) TaskName(sim.Task) string { return "ask" }

// askAnything runs a cache of any design, with any defect, between an etcd and a
// stranger.
func askAnything(t *testing.T, bytes []byte) *stranger {
	p := &tape{bytes}
	var o cache.Options
	for i := range cache.Choices {
		c := &cache.Choices[i]
		if p.next(4) == 0 {
			values := c.Values()
			require.NoError(t, c.Set(&o, values[p.next(len(values))].Name))
		}
	}
	cfg := cache.Config{Options: o, Prefix: prefix, KV: upID, Watch: upID}
	cfg.RingCapacity, cfg.WatchCapacity, cfg.KeptPages = 1+p.next(4), 1+p.next(3), 2
	s := &stranger{t: t, told: map[int]int{}}
	w := sim.NewWorld(sim.Options{Mode: sim.Mode(p.next(2))})
	w.Add("etcd", &rightEtcd{commits: 20})
	w.Add("cache", cache.New(cfg))
	w.Add("stranger", s)
	w.Start(p)
	for len(p.bytes) > 0 && w.Step(p) {
		continue
	}
	return s
}

func FuzzRequests(f *testing.F) {
	f.Add([]byte{})
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 64 {
		b := make([]byte, 400+rnd.IntN(1600))
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) { askAnything(t, b) })
}

// TestAnyRequestIsAnswered: nothing that a client can send panics, every refusal
// has a status and a message, and each kind of refusal came about.
func TestAnyRequestIsAnswered(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	told, requests := map[int]int{}, testsize.Of(1500, 500)
	for range requests {
		b := make([]byte, 3000)
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		for status, times := range askAnything(t, b).told {
			told[status] += times
		}
	}
	t.Log(told)
	for _, status := range []int{0, 400, 410, 429, 504} {
		require.Greater(t, told[status], requests/15, "%d", status)
	}
}
