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
	"github.com/watchbed/watchbed/testbed"
)

// line is something that happened: a message, a read of a cache, or a fault.
type line struct {
	tick int64
	at   sim.Time
	// who says or does something, text is what; about are the keys.
	who, text string
	payload   sim.Payload
	// by is the goroutine that sends a request.
	by string
	// turn is how many turns of goroutines there were before it.
	turn int
}

// story follows a run. It keeps messages between clients and etcd, and what breaks.
type story struct {
	clock *clock
	lines []line
}

// Observe implements sim.Observer.
func (s *story) Observe(w *sim.World, e *sim.Event) {
	l := line{tick: s.clock.last(), at: w.Now(), turn: host.turn()}
	switch e.Kind {
	case sim.Sent:
		l.who, l.payload = w.NodeName(e.Message.From)+" → "+w.NodeName(e.Message.To), e.Message.Payload
		if p, is := w.Node(e.Message.From).(*process); is {
			l.by = p.by
		}
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
	case *wire.PutResponse, *wire.DeleteRangeResponse:
		// The events have the revisions.
		return f.watch == nil && (f.client == "" || strings.Contains(l.who, f.client))
	case *wire.RangeRequest, *wire.RangeResponse, *wire.WatchProgressRequest:
		return f.client == "" || strings.Contains(l.who, f.client)
	case *wire.PutRequest:
		return f.key == "" || p.Key == f.key
	case *wire.DeleteRangeRequest:
		return f.key == "" || p.RangeEnd != "" || p.Key == f.key
	}
	return true
}

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
	}
	if f.watch != nil {
		told = append(o.delivered(f), told...)
	}
	told = append(told, o.turns()...)
	slices.SortStableFunc(told, func(a, b line) int { return cmp.Compare(a.tick, b.tick) })
	return told
}

// turns are the lines of turns that goroutines pass, if the trial says which.
func (o *outcome) turns() (told []line) {
	if o.trial.turns == nil {
		return nil
	}
	for _, p := range o.passed {
		l := line{who: "goroutines", text: p.String()}
		for _, before := range o.story {
			if before.turn <= p.at {
				l.tick, l.at = before.tick, before.at
			}
		}
		if f := o.failed; f.to == 0 || l.tick < f.to {
			told = append(told, l)
		}
	}
	return told
}

// delivered are the lines of a watch of a cache or of clientv3: its request, and what it delivered.
func (o *outcome) delivered(f *finding) []line {
	w := f.watch
	asked := "is asked to watch " + w.Request.Key
	if w.Request.End != "" {
		asked += "..."
	}
	if w.Request.StartRevision > 0 {
		asked += fmt.Sprintf(" from %d", w.Request.StartRevision)
	}
	told := []line{o.line(w.ticks[0], f.by, asked)}
	for i, r := range w.Responses[1:] {
		if at := w.ticks[i+1]; f.to == 0 || at < f.to {
			told = append(told, o.line(at, f.by, "delivers "+changes(r)))
		}
	}
	return told
}

// changes are what a response to a watch says.
func changes(r model.WatchResponse) string {
	var all []string
	for _, e := range r.Events {
		if e.Type == model.DeleteEvent {
			all = append(all, fmt.Sprintf("-%s@%d", e.Item.Key, e.Revision))
		} else {
			all = append(all, shownItem(e.Item))
		}
	}
	switch {
	case r.CompactRevision > 0:
		return fmt.Sprintf("the end: compacted at %d", r.CompactRevision)
	case r.Canceled:
		return "the end"
	case len(all) == 0:
		return fmt.Sprintf("progress %d", r.Revision)
	}
	return strings.Join(all, " ")
}

// tell is the story of a failed schedule in so many lines at most, equal ones in one.
func (o *outcome) tell(most int) string {
	told := o.lines()
	var all []string
	for len(told) > 0 {
		// One line again and again, or two in turns, such as a progress request and its answer.
		of, times := 1, repeats(told, 1)
		if n := repeats(told, 2); times == 1 && n > 1 {
			of, times = 2, n
		}
		for _, l := range told[of*(times-1) : of*times] {
			text := l.text
			if l.payload != nil {
				text = l.payload.Label()
			}
			if l.by != "" {
				text += " by " + l.by
			}
			if times > 1 {
				text += fmt.Sprintf(" (%d times)", times)
			}
			all = append(all, fmt.Sprintf("  %10s  %-18s  %s\n", shown(l.at), l.who, cut(text)))
		}
		told = told[of*times:]
	}
	if n := len(all) - max(most-1, 5); n > 0 {
		begin := max(0, min(beginning, most/4))
		all = slices.Concat(all[:begin], []string{fmt.Sprintf("  %d messages are left out\n", n)}, all[begin+n:])
	}
	return strings.Join(all, "")
}

// beginning is how many lines of a story are told before the end if not all can be.
const beginning = 6

// repeats is how many times the first lines stand behind each other.
func repeats(told []line, of int) int {
	times := 1
	for at := of; at+of <= len(told); at, times = at+of, times+1 {
		for i := range of {
			if told[i].common() != told[at+i].common() {
				return times
			}
		}
	}
	return times
}

// cut leaves out the middle of what is too long to read, such as large values.
func cut(text string) string {
	const most = 600
	if len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s … %d bytes … %s", text[:most/2], len(text)-most, text[len(text)-most/2:])
}

// common is what lines that stand together as one have in common.
func (l *line) common() string {
	if l.payload == nil {
		return l.who + l.text
	}
	return l.who + l.payload.Label() + l.by
}

func (o *outcome) line(tick int64, who, text string) line {
	return line{tick: tick, at: o.clock.times[tick-1], who: who, text: text}
}

// patience is the real time that a report takes at most to make a schedule smaller, and to say what decides.
var patience = 5 * time.Second

// How often a report tries each, and how many of these should fail to say what decides.
const (
	again = 20
	rare  = 5
)

// report is what a failed test says, in 40 lines at most.
func (c *Config) report(t *testing.T, server etcd.Config, f func(*T), first *outcome, all found) string {
	until := time.Now().Add(patience)
	least, run := first, func(of trial) *outcome { return c.schedule(t, server, of, f) }
	// A schedule whose faults or turns are named is told as it is.
	if c.one == nil || c.one.only == nil && c.one.turns == nil {
		if host.exact {
			least = shrinkOrder(run, least)
		}
		least = shrink(run, least, until.Add(-patience/2))
		if host.exact {
			least = shrinkOrder(run, least)
		}
	}
	c.told = true
	same := 0
	for range again {
		if repeated := c.schedule(t, server, least.trial, f); least.like(repeated) {
			least = repeated
			same++
		}
	}
	c.told = false
	head := fmt.Sprintf("etcdtest: %s, seed %v: %v\n  %s\n", c.etcd(), trial{seed: least.trial.seed, variant: least.trial.variant, order: least.trial.order}, least.failed, indented(least.failed.sentence))
	var b strings.Builder
	fmt.Fprintf(&b, "\n%d of %d repetitions of this fail; ", same, again)
	if os.Getenv(seedVariable) == "" {
		var kinds []string
		for _, k := range slices.Sorted(maps.Keys(all.failed)) {
			kinds = append(kinds, fmt.Sprintf("%s in %d, first with seed %d", k, len(all.failed[k]), all.failed[k][0]))
		}
		fmt.Fprintf(&b, "of %d schedules %s\n", all.ran, strings.Join(kinds, "; "))
	} else {
		b.WriteString("this is all that ran\n")
	}
	b.WriteString(c.findDecisive(t, server, f, least, len(first.struck), until))
	b.WriteString("run it alone: " + runsAlone(t, least.trial))
	if same < again {
		fmt.Fprintf(&b, " -count=%d", again)
	}
	body := least.tell(reportLines - strings.Count(head+b.String(), "\n"))
	if body != "" {
		body = "\n" + body
	}
	return head + body + b.String()
}

// reportLines is how many lines a failure has at most.
const reportLines = 39

// indented is a sentence of several lines below another one.
func indented(sentence string) string {
	const most = 10
	lines := strings.Split(cut(sentence), "\n")
	if len(lines) > most {
		lines = append(lines[:most-1], "...")
	}
	return strings.Join(lines, "\n  ")
}

// like reports whether another schedule fails in the same way. Which promise a wrong answer of a cache breaks is
// chance.
func (o *outcome) like(other *outcome) bool {
	if other.failed == nil || other.failed.by != o.failed.by {
		return false
	}
	hangs := func(o *outcome) bool { return strings.Contains(o.failed.sentence, notOver) }
	return o.failed.by == byCache || other.failed.promise == o.failed.promise && hangs(other) == hangs(o)
}

// shrink looks for a schedule that fails like another one and has no fault that it can do without. All else is drawn
// several times, since it is not the same without a fault.
func shrink(run func(trial) *outcome, o *outcome, until time.Time) *outcome {
	const draws = 5
	without := func(only []int) bool {
		for variant := o.trial.variant; variant < o.trial.variant+draws && time.Now().Before(until); variant++ {
			with := o.trial
			with.variant, with.only = variant, only
			if less := run(with); o.like(less) {
				o = less
				return true
			}
		}
		return false
	}
	if without([]int{}) || !without(numbers(o.struck)) {
		return o
	}
	for less := true; less; {
		less = false
		for _, n := range slices.Backward(numbers(o.struck)) {
			if all := numbers(o.struck); slices.Contains(all, n) && without(slices.DeleteFunc(all, func(other int) bool { return other == n })) {
				less = true
			}
		}
	}
	return o
}

// numbers are those of faults.
func numbers(faults []*planned) []int {
	all := []int{}
	for _, f := range faults {
		all = append(all, f.number)
	}
	return all
}

// findDecisive says which faults a schedule needs, and in how many draws it fails with them, without each, and with
// another etcd.
func (c *Config) findDecisive(t *testing.T, server etcd.Config, f func(*T), o *outcome, of int, until time.Time) string {
	tries := again
	count := func(c *Config, server etcd.Config, only []int) (failed int) {
		for variant := range uint64(tries) {
			if o.like(c.schedule(t, server, trial{seed: o.trial.seed, variant: o.trial.variant + variant, order: o.trial.order, only: only}, f)) {
				failed++
			}
		}
		return failed
	}
	begin := time.Now()
	all := numbers(o.struck)
	asIs := count(c, server, all)
	if asIs > 0 && asIs < rare {
		tries = min(3, rare-asIs+1) * again
		asIs = count(c, server, all)
	}
	said := []string{fmt.Sprintf("with the same faults and other delays it fails in %d of %d", asIs, tries)}
	if host.exact {
		failed := 0
		for i := range uint64(again) {
			other := o.trial
			other.order, other.turns = other.order+i+1, nil
			if o.like(c.schedule(t, server, other, f)) {
				failed++
			}
		}
		said = append(said, fmt.Sprintf("with goroutines in another order in %d of %d", failed, again))
	}
	enough := func() bool { return time.Now().Add(time.Since(begin) / time.Duration(len(said))).Before(until) }
	ofEtcd, decided := o.failed.by == byEtcd || o.failed.by == byClient, false
	other := *c
	other.Etcd, other.Bug = newest, ""
	if newer, err := other.setDefaults(); err == nil && enough() && (c.Etcd != newest || c.Bug != "") {
		less := count(&other, newer, all)
		decided = asIs > 0 && less <= asIs/3
		said, ofEtcd = append(said, fmt.Sprintf("with etcd %s in %d", newest, less)), ofEtcd || decided
	}
	for _, b := range testbed.KnownBugs() {
		// What the bug has no part in is the same without it.
		fixed, by, has := mended(server, b)
		if !has || !ofEtcd || !enough() || o.like(c.schedule(t, fixed, o.trial, f)) {
			continue
		}
		if less := count(c, fixed, all); less <= asIs/3 {
			without := fmt.Sprintf("without %s (%s) in %d", b.Name, b.Setting, less)
			if c.Etcd == newest && c.Bug == "" {
				without += fmt.Sprintf(" (releases have it; Set: %q leaves it out)", by)
			}
			said = append(said, without)
		}
	}
	for _, fault := range o.struck {
		if !decided && enough() {
			less := count(c, server, slices.DeleteFunc(numbers(o.struck), func(n int) bool { return n == fault.number }))
			said = append(said, fmt.Sprintf("without %s in %d", fault.name, less))
		}
	}
	return fmt.Sprintf("told with %d of the %d faults that struck%s; %s\n", len(o.struck), of, o.trial.outOfOrder(), strings.Join(said, ", "))
}

func shownItem(it *model.Item) string {
	return fmt.Sprintf("%s=%s@%d", it.Key, it.Value, it.ModRevision)
}

// items are what an answer has.
func items(r *model.Result) string {
	var all []string
	for _, it := range r.Items {
		all = append(all, shownItem(it))
	}
	if len(all) == 0 {
		all = []string{"nothing"}
	}
	if r.Revision > 0 {
		all = append(all, fmt.Sprintf("at revision %d", r.Revision))
	}
	return strings.Join(all, " ")
}
