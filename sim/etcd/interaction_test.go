package etcd_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/simtest"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// An etcd of a release, or a leader and a follower, and a user. What the user receives comes out with the name of
// the stream or request.
func TestInteractions(t *testing.T) {
	simtest.Run(t, func(t *testing.T, release string, settings []option.Setting) *simtest.Bench {
		s := setup{t: t, times: 100}
		cfg, err := etcd.DefaultConfig(release)
		require.NoError(t, err)
		for _, x := range settings {
			s.set(&cfg, x.Name, x.Value)
		}
		w := sim.NewWorld(sim.Options{Mode: s.clock})
		cfg.Replicated = s.follower
		b := benchIn(t, w, cfg)
		if s.follower {
			cfg.Leader, cfg.Replicated = 1, false
			w.Add("follower", etcd.New(cfg))
		}
		if s.clock == sim.Untimed {
			s.faults = append(s.faults, &sim.RestartProcess{Nodes: []sim.NodeID{1}, Label: "etcd"}, etcd.InstallSnapshot(1, "etcd"))
		}
		for _, f := range s.faults {
			w.AddFault(f, sim.Budget{Times: s.times, Within: time.Nanosecond})
		}
		b.Choices = s.phase
		b.CoveragePoints, b.Verbs = []string{"etcd: "}, b.verbs(s)
		b.user.receive = func(env *sim.Env, name string, p sim.Payload) {
			if s.clock == sim.Timed {
				name = fmt.Sprintf("%v %s", env.Now().Sub(0), name)
			}
			b.Say("%s: %s", name, text(p))
		}
		steps := &traced{}
		w.SetObserver(steps)
		b.Before = func(a sim.Action) { steps.begin(w, a) }
		b.Verbs["rests"] = func(step string) {
			for _, cause := range steps.causes(t, w, step) {
				b.Say("it rests on %s", cause)
			}
		}
		w.Start(b)
		return b.Bench
	})
}

// setup is what the settings of a test say that are no options of etcd.
type setup struct {
	t     *testing.T
	clock sim.Mode
	// times is how often each fault may strike, phase a choice of the beginning.
	times    int
	phase    []int
	follower bool
	faults   []sim.Fault
}

func (s *setup) set(cfg *etcd.Config, name, value string) {
	number := func() int {
		n, err := strconv.Atoi(value)
		require.NoError(s.t, err)
		return n
	}
	member := func(version string, down bool) etcd.Member {
		o, err := etcd.OptionsOf(version)
		require.NoError(s.t, err)
		return etcd.Member{Version: version, Options: o, Down: down}
	}
	switch name {
	case "timed":
		s.clock, s.times = sim.Timed, 1
	case "phase": // of syncWatchersLoop
		s.phase = []int{number()}
	case "objects": // so many from /a/00 on, of one revision each
		for i := range number() {
			rev := int64(i + 2)
			cfg.Initial = append(cfg.Initial, &wire.KeyValue{Key: fmt.Sprintf("/a/%02d", i), Value: "v", CreateRevision: rev, ModRevision: rev, Version: 1})
			cfg.InitialRevision = rev
		}
	case "large": // so many of them have 200 bytes
		for _, kv := range cfg.Initial[:number()] {
			kv.Value = strings.Repeat("x", 200)
		}
	case "follower":
		s.follower = true
	case "failover":
		cfg.Members = []etcd.Member{member(cfg.Version, false), member(value, true)}
		s.faults = append(s.faults, &etcd.Failover{Node: 1, Label: "etcd"})
	case "downgrade":
		s.faults = append(s.faults, &etcd.Downgrade{Node: 1, Label: "etcd", To: member(value, false)})
	case "overload":
		s.faults = append(s.faults, etcd.Fail(1, "etcd", etcd.Overloads))
	case "breaks":
		s.faults = append(s.faults, &sim.BreakStream{From: []sim.NodeID{2}, To: 1, Label: "user>etcd"})
	case "leader":
		s.faults = append(s.faults, etcd.LoseLeader([]sim.NodeID{1}, "etcd", 0))
	case "clogged-for": // the numbers of nodes
		var from []sim.NodeID
		for _, n := range strings.Fields(value) {
			from = append(from, sim.NodeID(n[0]-'0'))
		}
		s.faults = append(s.faults, etcd.Clog(1, "etcd", from, sim.Time(500*time.Millisecond)))
	case "defragmented":
		s.faults = append(s.faults, etcd.Defragment(1, "etcd", sim.Time(500*time.Millisecond)))
	default:
		require.NoError(s.t, etcd.Group.Set(&cfg.Options, name, value))
	}
}

// verbs are what the user and the test do.
func (b *bench) verbs(s setup) map[string]func(string) {
	write := func(make func(words []string) (sim.Payload, []string)) func(string) {
		return func(rest string) {
			p, words := make(strings.Fields(rest))
			b.Set(p, words...)
			b.write(strings.Fields(p.Label())[0], p)
		}
	}
	return map[string]func(string){
		"put":    write(func(w []string) (sim.Payload, []string) { return &wire.PutRequest{Key: w[0], Value: w[1]}, w[2:] }),
		"delete": write(func(w []string) (sim.Payload, []string) { return &wire.DeleteRangeRequest{Key: w[0]}, w[1:] }),
		"compact": write(func(w []string) (sim.Payload, []string) {
			return &wire.CompactionRequest{Revision: int64(b.Number(w[0]))}, w[1:]
		}),
		"apply": func(rest string) { // any write, as put
			p := b.message(strings.Fields(rest))
			b.write(strings.Fields(p.Label())[0], p)
		},
		"call": func(rest string) {
			name, _, _ := strings.Cut(rest, " ")
			b.ask(name, 1, b.message(strings.Fields(rest)))
		},
		"ask-follower": func(rest string) {
			name, _, _ := strings.Cut(rest, " ")
			b.ask(name, 3, b.message(strings.Fields(rest)))
		},
		"watch": func(rest string) {
			w := strings.Fields(rest)
			p := create(w[1], int64(b.Number(w[2])))
			b.Set(p, w[3:]...)
			b.request(w[0], p)
		},
		"cancel":   func(rest string) { b.request("w", &wire.WatchCancelRequest{WatchID: int64(b.Number(rest))}) },
		"progress": func(rest string) { b.request(rest, &wire.WatchProgressRequest{}) },
		"stream": func(rest string) {
			p := &wire.RangeRequest{}
			b.Set(p, strings.Fields(rest)...)
			b.request("stream", &wire.RangeStreamRequest{Range: p}).Act("deliver user>etcd")
		},
		"close":  func(rest string) { b.do(func(env *sim.Env) { env.Close(b.user.conns[rest]) }) },
		"forget": func(string) { b.user.conns = map[string]sim.Conn{} },
		"at": func(rest string) {
			at, what, _ := strings.Cut(rest, " ")
			d, err := time.ParseDuration(at)
			require.NoError(b, err)
			n := sim.Timer(len(b.user.plan))
			words := strings.Fields(what)
			b.user.plan = append(b.user.plan, func(env *sim.Env) {
				switch p := b.message(words).(type) {
				case *wire.WatchCreateRequest, *wire.RangeStreamRequest:
					env.Send(b.user.stream(env, words[0]), p)
				default:
					b.user.conns[words[0]+" of "+at] = env.Call(1, p)
				}
			})
			b.do(func(env *sim.Env) { env.Arm(n, d) })
		},
		"run": func(rest string) { // by the clock, the first step each time
			until, err := time.ParseDuration(rest)
			require.NoError(b, err)
			b.do(nil)
			for b.World.Now() < sim.Time(until) && len(b.World.Enabled()) > 0 {
				b.World.Do(b, b.World.Enabled()[0])
			}
		},
		"revision": func(string) {
			b.Say("revision %d, compacted at %d, %d writes", b.server.Revision(), b.server.CompactRevision(), len(b.server.Committed()))
		},
		"serving": func(string) {
			o := b.server.Serving()
			b.Say("progress=%s", etcd.Group.Lookup("progress").Get(&o))
		},
		"ready": func(string) {
			for _, f := range s.faults {
				b.Say("%s: %v", f.Name(), f.Ready(b.World))
			}
		},
		"holds": func(string) { b.Say("%+v", b.server.Held()) },
	}
}

// message reads a request: its kind, then its fields. A transaction is txn, compares, then, requests, else, requests;
// these are kind(field=value,...).
func (b *bench) message(words []string) sim.Payload {
	inner := func(word string) []string {
		return strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune("(),", r) })
	}
	if words[0] == "txn" {
		r := &wire.TxnRequest{}
		branch := &r.Success
		for _, word := range words[1:] {
			switch w := inner(word); w[0] {
			case "then":
			case "else":
				branch = &r.Failure
			case "compare":
				c := wire.Compare{}
				b.Set(&c, w[1:]...)
				r.Compare = append(r.Compare, c)
			case "nothing":
				*branch = append(*branch, wire.RequestOp{})
			default:
				op := wire.RequestOp{}
				switch p := b.message(w).(type) {
				case *wire.PutRequest:
					op.Put = p
				case *wire.RangeRequest:
					op.Range = p
				case *wire.DeleteRangeRequest:
					op.DeleteRange = p
				}
				*branch = append(*branch, op)
			}
		}
		return r
	}
	make := map[string]func() sim.Payload{
		"put": func() sim.Payload { return &wire.PutRequest{} }, "range": func() sim.Payload { return &wire.RangeRequest{} },
		"delete": func() sim.Payload { return &wire.DeleteRangeRequest{} }, "compact": func() sim.Payload { return &wire.CompactionRequest{} },
		"grant": func() sim.Payload { return &wire.LeaseGrantRequest{} }, "time-to-live": func() sim.Payload { return &wire.LeaseTimeToLiveRequest{} },
		"keep-alive": func() sim.Payload { return &wire.LeaseKeepAliveRequest{} },
		"status":     func() sim.Payload { return &wire.StatusRequest{} }, "watch": func() sim.Payload { return &wire.WatchCreateRequest{} },
		"stream": func() sim.Payload { return &wire.RangeStreamRequest{Range: &wire.RangeRequest{}} },
	}[words[0]]
	require.NotNil(b, make, "no request %q", words[0])
	p := make()
	if s, ok := p.(*wire.RangeStreamRequest); ok {
		b.Set(s.Range, words[1:]...)
	} else {
		b.Set(p, words[1:]...)
	}
	return p
}

// text is what a response says, its label and what that leaves out.
func text(p sim.Payload) string {
	switch p := p.(type) {
	case *wire.WatchResponse:
		return watchText(p)
	case *wire.RangeResponse:
		return fmt.Sprintf("rev %d: %scount %d%s", p.Revision, objects(p.Kvs), p.Count, more(p.More))
	case *wire.RangeStreamResponse:
		if p.Revision == 0 {
			return "chunk " + objects(p.Kvs)
		}
		return fmt.Sprintf("chunk %srev %d: count %d%s", objects(p.Kvs), p.Revision, p.Count, more(p.More))
	case *wire.TxnResponse:
		s := p.Label()
		for _, r := range p.Responses {
			if r.DeleteRange != nil {
				s += fmt.Sprintf(", deleted %d", r.DeleteRange.Deleted)
			}
			if r.Range != nil {
				s += ", " + text(r.Range)
			}
		}
		return s
	case *wire.LeaseTimeToLiveResponse:
		return fmt.Sprintf("%s %v", p.Label(), p.Keys)
	case *wire.CompactionResponse:
		return fmt.Sprintf("compacted, rev %d", p.Revision)
	}
	return p.Label()
}

func more(more bool) string {
	if more {
		return ", more"
	}
	return ""
}

func objects(kvs []*wire.KeyValue) (s string) {
	for _, kv := range kvs {
		s += object(kv) + " "
	}
	return s
}

func object(kv *wire.KeyValue) string {
	value := kv.Value
	if len(value) > 20 {
		value = fmt.Sprintf("%d bytes", len(value))
	}
	s := fmt.Sprintf("%s=%s@%d", kv.Key, value, kv.ModRevision)
	if kv.Version > 1 {
		s += fmt.Sprintf("(%d,v%d)", kv.CreateRevision, kv.Version)
	}
	return s
}

func watchText(p *wire.WatchResponse) string {
	s := p.Label()
	if len(p.Events) > 0 && p.CompactRevision == 0 {
		s = "event"
		for i := range p.Events {
			e := &p.Events[i]
			if e.Type == wire.Delete {
				s += fmt.Sprintf(" -%s@%d", e.Kv.Key, e.Kv.ModRevision)
			} else {
				s += " " + object(e.Kv)
			}
			if e.PrevKv != nil {
				s += " was " + object(e.PrevKv)
			}
		}
		if last := p.Events[len(p.Events)-1].Kv.ModRevision; last != p.Revision {
			s += fmt.Sprintf(", rev %d", p.Revision)
		}
	}
	if p.WatchID == wire.InvalidWatchID && p.IsProgressNotify() {
		s += " to all"
	} else if p.WatchID != 0 {
		s += fmt.Sprintf(", id %d", p.WatchID)
	}
	if p.Fragment {
		s += ", fragment"
	}
	return s
}

// traced are the steps with the cells that they touch and what nodes say in them.
type traced []*tracedStep

type tracedStep struct {
	name  string
	notes []sim.Note
	cells sim.Footprint
}

func (s *tracedStep) said(w *sim.World) (all []string) {
	for _, n := range s.notes {
		all = append(all, n.Text(w))
	}
	return all
}

func (t *traced) begin(w *sim.World, a sim.Action) {
	*t = append(*t, &tracedStep{name: w.Name(a)})
	w.RecordCells(&(*t)[len(*t)-1].cells)
}

// Observe implements sim.Observer.
func (t *traced) Observe(_ *sim.World, e *sim.Event) {
	if e.Kind == sim.Noted && len(*t) > 0 {
		last := (*t)[len(*t)-1]
		last.notes = append(last.notes, e.Note)
	}
}

// causes follows the reads of the last step that has a note or a part of its name like this, back to the steps that
// wrote what was read, and so on. It returns what those steps say, in the order of the run.
func (t *traced) causes(tb testing.TB, w *sim.World, name string) (said []string) {
	led := make([]bool, len(*t))
	for i, s := range *t {
		if strings.Contains(s.name, name) || slices.ContainsFunc(s.notes, func(n sim.Note) bool { return sim.NoteName(n) == name }) {
			clear(led)
			led[i] = true
		}
	}
	require.Contains(tb, led, true, "no step is or says %q", name)
	for i := len(*t) - 1; i >= 0; i-- {
		if !led[i] {
			continue
		}
		said = append((*t)[i].said(w), said...)
		for _, a := range (*t)[i].cells.Accesses {
			if j := t.lastWrite(i, a); !a.Write && a.Cell.Node != 0 && j >= 0 {
				led[j] = true
			}
		}
	}
	return said
}

func (t *traced) lastWrite(before int, read sim.Access) int {
	for i := before - 1; i >= 0; i-- {
		for _, a := range (*t)[i].cells.Accesses {
			if a.Write && a.Cell.Covers(read.Cell) {
				return i
			}
		}
	}
	return -1
}
