package client_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/internal/simtest"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// player is a node that the text plays, in its task "act". What it receives comes out with its name and that
// of the connection.
type player struct {
	name  string
	b     *simtest.Bench
	act   func(*sim.Env)
	conns map[string]sim.Conn
	last  sim.Payload
}

func (p *player) Start(env *sim.Env) { env.Enable(0) }
func (p *player) Run(env *sim.Env, _ sim.Task) {
	if p.act != nil {
		p.act(env)
		env.Enable(0)
	}
}
func (p *player) Receive(_ *sim.Env, m *sim.Message) {
	name := ""
	for n, c := range p.conns {
		if c == m.Conn {
			name = n
		}
	}
	if name == "" {
		name = strconv.Itoa(len(p.conns))
		p.conns[name] = m.Conn
	}
	p.last = m.Payload
	p.b.Say("%s %s: %s", p.name, name, m.Payload.Label())
}
func (p *player) Restart(env *sim.Env)       { env.Enable(0) }
func (p *player) Fire(*sim.Env, sim.Timer)   {}
func (p *player) TaskName(sim.Task) string   { return "act" }
func (p *player) TimerName(sim.Timer) string { return "" }

func (p *player) do(act func(*sim.Env)) {
	p.act = act
	p.b.Act("run " + p.name + " act")
}

// conn is the connection with a name, which a node opens the first time.
func (p *player) conn(env *sim.Env, name string) sim.Conn {
	if p.conns[name] == sim.NoConn {
		p.conns[name] = env.Open(clientID)
	}
	return p.conns[name]
}

// The client between a cache and etcd that the text plays. Watches and calls of the cache have names; etcd's
// connections are numbered as it hears of them.
func TestInteractions(t *testing.T) {
	simtest.Run(t, func(t *testing.T, release string, settings []option.Setting) *simtest.Bench {
		b := &simtest.Bench{TB: t, CoveragePoints: []string{"clientv3: ", "etcd3: "}}
		etcd := &player{name: "etcd", b: b, conns: map[string]sim.Conn{}}
		cache := &player{name: "cache", b: b, conns: map[string]sim.Conn{}}
		follower := &player{name: "follower", b: b, conns: map[string]sim.Conn{}}
		cfg, o, breaks := config(t, release), sim.Options{}, true
		cfg.Storage = []sim.NodeID{cacheID}
		for _, s := range settings {
			switch s.Name {
			case "incoming-buf":
				cfg.Watcher.IncomingBufSize = b.Number(s.Value)
			case "outgoing-buf":
				cfg.Watcher.OutgoingBufSize = b.Number(s.Value)
			case "page":
				cfg.Watcher.SyncPageSize = b.Number(s.Value)
			case "storage": // the cache is a caller of the client library itself
				cfg.Storage = nil
			case "follower":
				cfg.WatchEndpoints = []sim.NodeID{etcdID, cacheID + 1}
			case "timed": // where a stream can always break, time stands still
				o.Mode, breaks = sim.Timed, s.Value == "breaks"
			default:
				require.NoError(t, client.Group.Set(&cfg.Options, s.Name, s.Value))
			}
		}
		b.World = sim.NewWorld(o)
		b.World.Add("etcd", etcd)
		c := client.New(cfg)
		b.World.Add("client", c)
		b.World.Add("cache", cache)
		if cfg.WatchEndpoints != nil {
			b.World.Add("follower", follower)
		}
		if breaks {
			b.World.AddFault(&sim.BreakStream{From: []sim.NodeID{clientID}, To: etcdID, Label: "client>etcd"}, sim.Budget{Times: 100, Within: time.Hour})
		}
		if o.Mode == sim.Untimed {
			for i, name := range []string{"etcd", "client", "cache"} {
				b.World.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{etcdID + sim.NodeID(i)}, Label: name}, sim.Budget{Times: 10})
			}
		}
		run := trace.New(nil)
		run.Follow(b.World)
		b.World.Start(b)
		watch := func(rest string, p *wire.WatchStart) {
			words := strings.Fields(rest)
			p.Prefix = words[1]
			b.Set(p, words[2:]...)
			cache.do(func(env *sim.Env) {
				env.Begin("watch "+p.Prefix, 0)
				env.Send(cache.conn(env, words[0]), p)
			})
		}
		type sentMessage struct {
			message sim.Payload
			digest  sim.Digest
		}
		var sent []sentMessage
		t.Cleanup(func() {
			tally(b.World)
			for _, s := range sent {
				require.Equal(t, s.digest, s.message.Digest(sim.NewDigest), "a message never changes: %s", s.message.Label())
			}
		})
		b.Verbs = map[string]func(string){
			"watch": func(rest string) { watch(rest, &wire.WatchStart{ProgressNotify: true}) },
			"watch-list": func(rest string) {
				watch(rest, &wire.WatchStart{ProgressNotify: true, SendInitialEvents: wire.SendInitialEventsTrue, AllowBookmarks: true})
			},
			"stop": func(rest string) { cache.do(func(env *sim.Env) { env.Close(cache.conns[rest]) }) },
			"request-progress": func(rest string) {
				cache.do(func(env *sim.Env) { env.Send(cache.conn(env, "control"), &wire.ProgressRequest{Metadata: rest}) })
			},
			"call": func(rest string) {
				words := strings.Fields(rest)
				p := map[string]sim.Payload{"range": &wire.RangeRequest{}, "put": &wire.PutRequest{}, "txn": &wire.TxnRequest{},
					"delete": &wire.DeleteRangeRequest{}, "compact": &wire.CompactionRequest{}}[words[1]]
				b.Set(p, words[2:]...)
				cache.do(func(env *sim.Env) { cache.conns[words[0]] = env.Call(clientID, p) })
			},
			"etcd": func(rest string) {
				conn, messages, _ := strings.Cut(rest, " ")
				etcd.do(func(env *sim.Env) {
					for _, text := range strings.Split(messages, "; ") {
						if text == "close" {
							env.Close(etcd.conns[conn])
						} else {
							p := message(b, strings.Fields(text))
							sent = append(sent, sentMessage{p, p.Digest(sim.NewDigest)})
							env.Send(etcd.conns[conn], p)
						}
					}
				})
			},
			// A break, with all that is under way delivered or with none of it.
			"break": func(rest string) {
				b.Choices = []int{1 << 20, 1 << 20}
				if rest == "losing" {
					b.Choices = nil
				}
				b.Act("inject break client>etcd")
				b.Choices = nil
			},
			"last": func(rest string) {
				last := map[string]*player{"etcd": etcd, "cache": cache}[rest].last
				text, err := json.Marshal(last)
				require.NoError(t, err)
				b.Say("%T %s", last, strings.ReplaceAll(string(unset.ReplaceAll(text, nil)), ",}", "}"))
			},
			"holds": func(string) { b.Say("%+v", c.Holds(b.World)) },
			"under-way": func(string) {
				b.World.UnderWay(etcdID, func(_ *sim.Message, n int) { b.Say("%d under way from etcd", n) })
			},
			"clock": func(string) { b.Say("%v", b.World.Now().Sub(0)) },
			"idle": func(string) { // of nodes that are played nothing more is to come, so that time goes on
				for _, p := range []*player{etcd, cache} {
					p.do(nil)
				}
			},
			"depends": func(label string) {
				for _, l := range dependsOn(b, run, label) {
					b.Say("it depends on %s", l)
				}
			},
		}
		return b
	})
}

// unset are the fields of a message that are zero.
var unset = regexp.MustCompile(`"\w+":(0|""|false|null),?`)

// dependsOn are the labels of the messages to the client and to the cache on which the last message with a
// label depends.
func dependsOn(b *simtest.Bench, run *trace.Trace, label string) (labels []string) {
	run.Close(b.World)
	end := -1
	for i := range run.Steps {
		if d := run.Steps[i].Delivered; d >= 0 && run.Messages[d].Payload.Label() == label {
			end = i
		}
	}
	require.GreaterOrEqual(b, end, 0, "%q was never delivered", label)
	// What the text plays follows from no earlier step.
	focus := trace.Focus{Spontaneous: map[sim.NodeID]bool{etcdID: true, cacheID: true}}
	for i, in := range trace.NewSlicer(run, focus).Before(end) {
		if d := run.Steps[i].Delivered; in && d >= 0 && i < end && !slices.Contains(labels, run.Messages[d].Payload.Label()) {
			labels = append(labels, run.Messages[d].Payload.Label())
		}
	}
	return labels
}

// message is what etcd sends: created ID @REV, progress ID @REV, events ID KEY@REV..., canceled ID, refused ID
// REASON, range @REV KEY..., chunk KEY..., last-chunk @REV KEY..., put @REV, error CODE. An event is /a@5 where
// the key is new, /a@6<5 where it changes and -/a@7<5 where it goes, with ! where the previous value is missing.
func message(b *simtest.Bench, words []string) sim.Payload {
	number := func(i int) int64 { return int64(b.Number(strings.TrimLeft(words[i], "@"))) }
	switch words[0] {
	case "created":
		return createdAt(number(1), number(2))
	case "progress":
		return progress(number(1), number(2))
	case "events", "fragment":
		var all []wire.Event
		for _, w := range words[2:] {
			all = append(all, eventOf(b, w))
		}
		p := events(number(1), all...)
		p.Fragment = words[0] == "fragment"
		return p
	case "canceled":
		p := &wire.WatchResponse{WatchID: number(1), Canceled: true}
		b.Set(p, words[2:]...)
		return p
	case "refused":
		return &wire.WatchResponse{WatchID: number(1), Created: true, Canceled: true, CancelReason: strings.Join(words[2:], " ")}
	case "response":
		p := &wire.WatchResponse{}
		b.Set(p, words[1:]...)
		return p
	case "range":
		more := words[len(words)-1] == "more"
		if more {
			words = words[:len(words)-1]
		}
		p := items(number(1), words[2:]...)
		p.More = more
		return p
	case "chunk":
		return &wire.RangeStreamResponse{Kvs: items(0, words[1:]...).Kvs}
	case "last-chunk":
		return &wire.RangeStreamResponse{Revision: number(1), Kvs: items(0, words[2:]...).Kvs, Count: 7}
	case "put":
		return &wire.PutResponse{Revision: number(1)}
	case "error":
		codes := map[string]wire.Code{"compacted": wire.ErrCompacted, "unavailable": wire.Unavailable, "no-leader": wire.NoLeader, "unimplemented": wire.Unimplemented}
		return &wire.Error{Code: codes[words[1]]}
	}
	b.Fatalf("etcd sends no %q", words[0])
	return nil
}

func eventOf(b *simtest.Bench, text string) wire.Event {
	text, missing := strings.CutSuffix(text, "!")
	key, revisions, _ := strings.Cut(text, "@")
	at, created, changes := strings.Cut(revisions, "<")
	rev := int64(b.Number(at))
	if !changes {
		return putAt(key, rev)
	}
	e := updateAt(key, rev, int64(b.Number(created)))
	if key, gone := strings.CutPrefix(key, "-"); gone {
		e = deleteAt(key, rev, int64(b.Number(created)))
	}
	if missing {
		e.PrevKv = nil
	}
	return e
}

func items(rev int64, keys ...string) *wire.RangeResponse {
	p := &wire.RangeResponse{Revision: rev}
	for i, k := range keys {
		p.Kvs = append(p.Kvs, &wire.KeyValue{Key: k, Value: "v", CreateRevision: int64(i + 2), ModRevision: int64(i + 2), Version: 1})
	}
	return p
}
