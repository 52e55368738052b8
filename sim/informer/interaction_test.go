package informer_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/internal/simtest"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

const (
	firstID sim.NodeID = iota + 1
	secondID
	informerID
)

// player is an API server that the text plays, in its task "act": time stands still as long as it may act. It answers
// the request that it heard last.
type player struct {
	sim.Idle
	b    *simtest.Bench
	name string
	act  func(*sim.Env)
	last sim.Conn
}

func (p *player) Start(env *sim.Env) { env.Enable(0) }
func (p *player) Run(env *sim.Env, _ sim.Task) {
	if act := p.act; act != nil {
		p.act = nil
		act(env)
		env.Enable(0)
	}
}
func (p *player) Receive(env *sim.Env, m *sim.Message) {
	env.Enable(0)
	said := m.Payload.Label()
	switch r := m.Payload.(type) {
	case *sim.Hangup:
		p.b.Say("%s: %s", p.name, said)
		return
	case *wire.WatchRequest:
		if r.Match == wire.MatchNotOlderThan {
			said += " not older"
		}
		if !r.AllowBookmarks {
			said += " without bookmarks"
		}
	}
	p.last = m.Conn
	p.b.Say("%s: %s", p.name, said)
}
func (p *player) Restart(env *sim.Env)     { env.Enable(0) }
func (p *player) TaskName(sim.Task) string { return "act" }
func (p *player) Clone() sim.Node          { c := *p; return &c }

// The informer before two API servers that the text plays.
func TestInteractions(t *testing.T) {
	simtest.Run(t, func(t *testing.T, _ string, settings []option.Setting) *simtest.Bench {
		b := &simtest.Bench{TB: t, CoveragePoints: []string{"informer: "}}
		cfg := informer.Config{Prefix: prefix, Servers: []sim.NodeID{firstID}}
		var o sim.Options
		for _, s := range settings {
			switch s.Name {
			case "timed":
				o.Mode = sim.Timed
			case "servers":
				cfg.Servers = []sim.NodeID{firstID, secondID}
			case "await-ready":
				cfg.AwaitReady = true
			default:
				require.NoError(t, informer.Group.Set(&cfg.Options, s.Name, s.Value))
			}
		}
		b.World = sim.NewWorld(o)
		b.World.Add("first", &player{b: b, name: "first"})
		b.World.Add("second", &player{b: b, name: "second"})
		b.World.Add("informer", informer.New(cfg))
		if o.Mode == sim.Untimed {
			b.World.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{informerID}, Label: "informer"}, sim.Budget{Times: 9, Within: 1})
			b.World.AddFault(&sim.BreakStream{From: []sim.NodeID{informerID}, To: firstID, Label: "stream"}, sim.Budget{Times: 9, Within: 1})
			b.World.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{firstID}, Label: "server"}, sim.Budget{Times: 9, Within: 1})
		}
		run := trace.New(nil)
		run.Follow(b.World)
		b.World.Start(b)
		b.Settle()
		play := func(id sim.NodeID) func(string) {
			return func(rest string) {
				p := b.World.Node(id).(*player)
				p.act = func(env *sim.Env) {
					for _, text := range strings.Split(rest, "; ") {
						p.send(env, strings.Fields(text))
					}
				}
				b.Act("run " + p.name + " act")
				b.Settle()
			}
		}
		worlds := []*sim.World{b.World}
		b.Verbs = map[string]func(string){
			"first": play(firstID), "second": play(secondID),
			"fire": func(timer string) {
				for _, id := range []sim.NodeID{firstID, secondID} {
					act := "run " + b.World.Node(id).(*player).name + " act"
					if o.Mode == sim.Timed && slices.ContainsFunc(b.World.Enabled(), func(a sim.Action) bool { return b.World.Name(a) == act }) {
						b.Act(act) // it waits
					}
				}
				for _, a := range b.World.Enabled() {
					if b.World.Name(a) == "fire informer "+timer {
						b.Say("after %v", b.World.Wait(a))
					}
				}
				b.Act("fire informer " + timer)
				b.Settle()
			},
			"inject": func(fault string) {
				b.Act("inject " + fault)
				b.Settle()
			},
			"clone": func(string) {
				w, err := b.World.Clone()
				require.NoError(t, err)
				worlds = append(worlds, w)
			},
			"world": func(n string) { b.World = worlds[b.Number(n)] },
			"clock": func(string) { b.Say("%v", b.World.Now().Sub(0)) },
			"holds": func(string) {
				r := b.World.Node(informerID).(*informer.Informer)
				var keys []string
				r.Ascend(func(kv *wire.KeyValue) bool {
					keys = append(keys, strings.TrimPrefix(kv.Key, prefix)+"@"+strconv.FormatInt(kv.ModRevision, 10))
					return true
				})
				record := unset.ReplaceAllString(fmt.Sprintf("%+v", *r.Record()), "")
				b.Say("holds %v of RV %d, synced %v, %s", keys, r.ResourceVersion(), r.Synced(), record)
			},
			"depends": func(label string) {
				run.Close(b.World)
				at := slices.IndexFunc(run.Steps, func(s trace.Step) bool {
					return s.Delivered >= 0 && strings.HasPrefix(run.Messages[s.Delivered].Payload.Label(), label)
				})
				require.GreaterOrEqual(b, at, 0, "%q was never delivered", label)
				focus := trace.Focus{Spontaneous: map[sim.NodeID]bool{firstID: true, secondID: true}}
				for i, in := range trace.NewSlicer(run, focus).Before(at) {
					if d := run.Steps[i].Delivered; in && d >= 0 && i < at {
						b.Say("it depends on %s", run.Messages[d].Payload.Label())
					}
				}
			},
		}
		return b
	})
}

// unset are the counts of a record that are zero.
var unset = regexp.MustCompile(`\w+:(0|false) ?`)

// send answers: list @REV KEY@REV... [more], added KEY@REV, modified KEY@REV, deleted KEY@REV @REV, bookmark @REV, end
// @REV of the initial events, fail ERROR which ends a watch, error ERROR, ready, close. An ERROR may be followed by the
// seconds of Retry-After.
func (p *player) send(env *sim.Env, words []string) {
	number := func(text string) int64 { return int64(p.b.Number(strings.TrimPrefix(text, "@"))) }
	object := func(text string) *wire.KeyValue {
		key, rev, _ := strings.Cut(text, "@")
		kv := item(key, number(rev))
		if name, other := strings.CutSuffix(key, "!"); other {
			kv.Key, kv.Value = prefix+name, "another"
		}
		return kv
	}
	failure := func() *wire.Error {
		code, known := map[string]wire.Code{"gone": wire.ErrCompacted, "too-large": wire.TooLargeResourceVersion, "invalid": wire.BadRequest,
			"busy": wire.TooManyRequests, "internal": wire.Internal, "unavailable": wire.Unavailable}[words[1]]
		require.True(p.b, known, words[1])
		err := &wire.Error{Code: code}
		if len(words) > 2 {
			err.RetryAfter = int(number(words[2]))
		}
		return err
	}
	switch words[0] {
	case "list":
		answer := listed(number(words[1]))
		for _, w := range words[2:] {
			if w == "more" {
				answer.Continue = w
			} else {
				answer.Items = append(answer.Items, object(w))
			}
		}
		env.Send(p.last, answer)
	case "added":
		env.Send(p.last, added(object(words[1])))
	case "modified":
		env.Send(p.last, modified(object(words[1])))
	case "deleted":
		env.Send(p.last, deleted(object(words[1]), number(words[2])))
	case "bookmark":
		env.Send(p.last, bookmark(number(words[1])))
	case "end":
		env.Send(p.last, endOfInitialEvents(number(words[1])))
	case "fail":
		env.Send(p.last, &wire.WatchEvent{Type: wire.Failed, Err: failure()})
		env.Close(p.last)
	case "error":
		env.Send(p.last, failure())
	case "ready":
		env.Send(p.last, &wire.ReadyzResponse{})
	case "close":
		env.Close(p.last)
	default:
		p.b.Fatalf("a server sends no %q", words[0])
	}
}
