package etcdtest

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
)

// line is something that happened: a message, a read of a cache, or a fault.
type line struct {
	tick int64
	at   sim.Time
	// who says or does something, text is what; about are the keys.
	who, text string
	payload   sim.Payload
}

// story follows a run. It keeps messages between clients and etcd, and what breaks.
type story struct {
	clock *clock
	lines []line
}

// Observe implements sim.Observer.
func (s *story) Observe(w *sim.World, e *sim.Event) {
	l := line{tick: s.clock.last(), at: w.Now()}
	switch e.Kind {
	case sim.Sent:
		l.who, l.payload = w.NodeName(e.Message.From)+" → "+w.NodeName(e.Message.To), e.Message.Payload
	case sim.Noted:
		// The world's own notes are about what breaks.
		if e.Node != 0 {
			return
		}
		l.who, l.text = "fault", e.Note.Text(w)
	default:
		return
	}
	s.lines = append(s.lines, l)
}

// matters reports whether a message may say why a promise about a key was broken.
func (l *line) matters(f *finding) bool {
	switch p := l.payload.(type) {
	case nil:
		return true
	case *wire.LeaseKeepAliveRequest, *wire.LeaseKeepAliveResponse, *wire.StatusRequest, *wire.StatusResponse:
		return false
	case *wire.WatchResponse:
		if f.client != "" && !strings.Contains(l.who, f.client) {
			return false
		}
		if len(p.Events) == 0 || f.key == "" {
			return true
		}
		for i := range p.Events {
			if p.Events[i].Kv.Key == f.key {
				return true
			}
		}
		return false
	case *wire.RangeRequest, *wire.RangeResponse, *wire.PutResponse, *wire.DeleteRangeResponse, *wire.WatchProgressRequest:
		return f.client == "" || strings.Contains(l.who, f.client)
	case *wire.PutRequest:
		return f.key == "" || p.Key == f.key
	case *wire.DeleteRangeRequest:
		return f.key == "" || p.RangeEnd != "" || p.Key == f.key
	}
	return true
}

// storyLines is how many lines of a story a failure has at most.
const storyLines = 26

// tellsMore: what a cache answers is the question, then whether the test holds; etcd may be known to be wrong. Of two
// that are wrong in the same way, the shorter one says more.
func (o *outcome) tellsMore(than *outcome) bool {
	rank := map[string]int{byCache: 2, byTest: 1}
	if a, b := rank[o.failed.by], rank[than.failed.by]; a != b {
		return a > b
	}
	return len(o.lines()) < len(than.lines())
}

// lines are those of the story: messages with what they say about the key, what broke, and the read at fault.
func (o *outcome) lines() []line {
	f := o.failed
	var told []line
	for _, l := range o.story {
		if l.matters(f) && (f.to == 0 || l.tick < f.to) {
			told = append(told, l)
		}
	}
	if f.read != nil && f.by == byCache {
		told = append([]line{o.line(f.from, f.by, "is asked for "+f.read.Request.Key), o.line(f.to, f.by, "answers "+items(f.read.Result))}, told...)
		slices.SortStableFunc(told, func(a, b line) int { return cmp.Compare(a.tick, b.tick) })
	}
	return told
}

// tell is the story of a failed schedule, equal lines in one.
func (o *outcome) tell() string {
	told := o.lines()
	var all []string
	times := 1
	for i, l := range told {
		text := l.text
		if l.payload != nil {
			text = l.payload.Label()
		}
		if i+1 < len(told) && told[i+1].says() == l.says() {
			times++
			continue
		}
		if times > 1 {
			text += fmt.Sprintf(" (%d times)", times)
		}
		times = 1
		all = append(all, fmt.Sprintf("  %10s  %-18s  %s\n", shown(l.at), l.who, cut(text)))
	}
	if n := len(all) - storyLines; n > 0 {
		all = append([]string{fmt.Sprintf("  %d earlier messages\n", n)}, all[n:]...)
	}
	return strings.Join(all, "")
}

// cut leaves out the middle of what is too long to read, such as large values.
func cut(text string) string {
	const most = 600
	if len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s … %d bytes … %s", text[:most/2], len(text)-most, text[len(text)-most/2:])
}

// says is what lines that stand together as one have in common.
func (l *line) says() string {
	if l.payload == nil {
		return l.who + l.text
	}
	return l.who + l.payload.Label()
}

func (o *outcome) line(tick int64, who, text string) line {
	return line{tick: tick, at: o.clock.times[tick-1], who: who, text: text}
}

// report is what a failed test says, in 40 lines at most.
func (c *Config) report(t *testing.T, server etcd.Config, f func(*T), first *outcome, all found) string {
	const again = 20
	same, begin := 0, time.Now()
	for range again {
		if c.schedule(t, server, first.seed, f).failed != nil {
			same++
		}
	}
	took := time.Since(begin) / again
	var b strings.Builder
	fmt.Fprintf(&b, "etcdtest: %s, seed %d: %v\n", c.etcd(), first.seed, first.failed)
	fmt.Fprintf(&b, "  %s\n\n%s\n", strings.ReplaceAll(cut(first.failed.sentence), "\n", "\n  "), first.tell())
	var kinds []string
	for _, k := range slices.Sorted(maps.Keys(all.failed)) {
		kinds = append(kinds, fmt.Sprintf("%s in %d", k, all.failed[k]))
	}
	fmt.Fprintf(&b, "of %d schedules: %s; this seed fails in %d of %d repetitions\n", c.Schedules, strings.Join(kinds, ", "), same, again)
	if os.Getenv(seedVariable) == "" {
		b.WriteString(c.decides(t, server, f, first.failed, all.failed[first.failed.String()], took))
		fmt.Fprintf(&b, "run it alone: %s=%d go test -run '^%s$'", seedVariable, first.seed, strings.ReplaceAll(t.Name(), "/", "$/^"))
	}
	return b.String()
}

// kinds are those of faults.
var kinds = []struct {
	name string
	of   func(*Faults) *int
}{
	{"broken streams", func(f *Faults) *int { return &f.Breaks }},
	{"partitions", func(f *Faults) *int { return &f.Partitions }},
	{"restarts", func(f *Faults) *int { return &f.Restarts }},
	{"compactions", func(f *Faults) *int { return &f.Compactions }},
	{"leader losses", func(f *Faults) *int { return &f.LeaderLosses }},
	{"leader changes", func(f *Faults) *int { return &f.LeaderChanges }},
	{"timeouts", func(f *Faults) *int { return &f.Timeouts }},
}

// decides runs schedules without a kind of fault, and on the newest release, and says in how many of them the same is
// wrong. found is in how many of all it is, took how long one takes.
func (c *Config) decides(t *testing.T, server etcd.Config, f func(*T), like *finding, found int, took time.Duration) string {
	// About eight of the tries fail as the test is, so that a kind of fault without which none fails is no chance.
	const enough, most, patience = 8, 150, 10 * time.Second
	tries := max(20, enough*c.Schedules/found)
	if most := min(most, int(patience/max(took, 1))/(len(kinds)+2)); tries > most {
		return "it is too rare, or takes too long, to say which kind of fault it needs\n"
	}
	count := func(c Config, server etcd.Config) (failed int) {
		for i := range tries {
			if o := c.schedule(t, server, c.Seed+uint64(i), f); o.failed != nil && o.failed.String() == like.String() {
				failed++
			}
		}
		return failed
	}
	said := []string{fmt.Sprintf("as it is %d", count(*c, server))}
	for _, k := range kinds {
		without := *c.Faults
		if *k.of(&without) == 0 {
			continue
		}
		*k.of(&without) = 0
		one := *c
		one.Faults = &without
		said = append(said, fmt.Sprintf("without %s %d", k.name, count(one, server)))
	}
	if c.Bug != "" {
		one := *c
		one.Bug = ""
		if other, err := one.setDefaults(); err == nil {
			said = append(said, fmt.Sprintf("without %s %d", c.Bug, count(one, other)))
		}
	}
	if c.Etcd != newest {
		if other, err := etcd.DefaultConfig(newest); err == nil {
			one := *c
			one.Etcd = newest
			said = append(said, fmt.Sprintf("with etcd %s %d", newest, count(one, other)))
		}
	}
	return fmt.Sprintf("the same in the first %d: %s\n", tries, strings.Join(said, ", "))
}

// items are what an answer has.
func items(r *model.Result) string {
	var all []string
	for _, it := range r.Items {
		all = append(all, fmt.Sprintf("%s=%s@%d", it.Key, it.Value, it.ModRevision))
	}
	if len(all) == 0 {
		all = []string{"nothing"}
	}
	if r.Revision > 0 {
		all = append(all, fmt.Sprintf("at revision %d", r.Revision))
	}
	return strings.Join(all, " ")
}
