package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/guests"
)

// inclusion compares what the clients of a released etcd are answered with what those of the simulated one are, in
// small worlds. The guests are etcd@v3.5.7 and so on, and those with testdata/preempted.patch:
//
//	make upstream GUEST="etcd@v3.6.16 etcd@v3.6.16+measure/testdata/preempted.patch"
//
// The two oldest releases have a patch of their own: etcd@v3.5.7+measure/testdata/v3.5.7/preempted.patch.
var inclusion = &table[compared]{
	name: "inclusion", about: "what clients are told by the code of an etcd and by the simulated one, in small worlds",
	choice: "etcd", keys: inclusionKeys, measure: measureInclusion, amiss: amissInTraces, render: renderInclusion,
}

// includedVersions are the releases that the table is about: the two that have etcd #15220 and #17507, and the newest
// of each branch.
var includedVersions = append([]string{"3.5.7", "3.5.12"}, newest...)

func inclusionKeys() []key {
	var all []key
	for _, of := range etcdWorlds {
		for _, version := range includedVersions {
			all = append(all, key{of.Name, version})
		}
	}
	return all
}

// etcdSchedules is how many are taken of the released code, of which a quarter has goroutines that switch where they
// block only, and the rest goroutines that give way at locks, too. directed is about how many attempts are made at all
// traces that these do not show, mostly how many at one of them.
const (
	etcdSchedules = 800
	directed      = 60
	mostly        = 6
)

// atLocks is behind the name of a guest whose goroutines give way at locks, too.
var atLocks = guests.Schedule{Locks: true}.String()

// preempted is the change of a release by which its goroutines give way in more places (testdata).
const preempted = "+preempted"

// measureInclusion compares both sides of a world.
func measureInclusion(ctx context.Context, k key) (compared, error) {
	of, release := findWorld(etcdWorlds, k.of), released(k.on)
	r, s, err := of.compareEtcd(ctx, k.on, k.on)
	if err != nil || len(r.SimulatedOnly) == 0 {
		return r, err
	}
	yielding, err := of.roots(release + atLocks)
	if err != nil {
		return r, err
	}
	missing, err := of.lookFor(ctx, yielding, &s, r.SimulatedOnly, &r.Reached)
	if r.SimulatedOnly = missing; err != nil || len(missing) == 0 {
		return r, err
	}
	// Those that are left are looked for where the code gives way in places in which a thread of a server may be
	// preempted.
	roots, err := of.roots(release + preempted)
	if err != nil {
		return r, err
	}
	if yielding, err = of.roots(release + preempted + atLocks); err != nil {
		return r, err
	}
	seen := map[string]int{}
	if err := errors.Join(of.sample(ctx, roots, r.Schedules, seen), of.sample(ctx, yielding, r.Schedules, seen)); err != nil {
		return r, err
	}
	for t := range seen {
		if _, is := s.traces[t]; !is && !slices.Contains(r.ReleasedOnly, t) {
			r.ReleasedOnly = append(r.ReleasedOnly, t)
		}
	}
	slices.Sort(r.ReleasedOnly)
	all := len(missing)
	missing = slices.DeleteFunc(missing, func(t string) bool { return seen[t] > 0 })
	*r.Preempted = all - len(missing)
	r.SimulatedOnly, err = of.lookFor(ctx, roots, &s, missing, r.Preempted)
	return r, err
}

// compareEtcd compares a simulated server with random schedules of the code of a release.
func (of *world) compareEtcd(ctx context.Context, simulated, release string) (compared, searched, error) {
	all := etcdSchedules / max(1, of.Slow)
	r, s, err := of.compare(ctx, release, simulated, []part{{released(release), all / 4}, {released(release) + atLocks, all - all/4}})
	r.Preempted = new(int)
	return r, s, err
}

// lookFor looks for each of these traces, counts those that are found, and returns the others.
func (of *world) lookFor(ctx context.Context, roots []*sim.World, s *searched, missing []string, reached *int) ([]string, error) {
	var left []string
	for _, t := range missing {
		found, err := of.towards(ctx, roots, s.traces[t], max(1, min(mostly, directed/len(missing)/max(1, of.Slow))))
		if err != nil {
			return nil, err
		}
		if found {
			*reached++
		} else {
			left = append(left, t)
		}
	}
	return left, nil
}

// etcdText is all of what a client of etcd is told in a message.
func etcdText(p sim.Payload) string {
	switch r := p.(type) {
	case *wire.WatchResponse:
		return watchText(r)
	case *wire.RangeResponse:
		text := fmt.Sprintf("rev %d: %d", r.Revision, r.Count)
		for _, kv := range r.Kvs {
			text += " " + versionText(kv)
		}
		return text
	case *sim.Hangup:
		return "the stream has ended"
	case interface{ Label() string }:
		return r.Label()
	}
	return fmt.Sprintf("%T", p)
}

func watchText(r *wire.WatchResponse) string {
	parts := []string{fmt.Sprintf("watch %d at %d", r.WatchID, r.Revision)}
	if r.Created {
		parts = append(parts, "created")
	}
	if r.Canceled {
		parts = append(parts, "canceled", r.CancelReason)
	}
	if r.CompactRevision != 0 {
		parts = append(parts, fmt.Sprintf("compacted at %d", r.CompactRevision))
	}
	if r.IsProgressNotify() {
		parts = append(parts, "progress")
	}
	for i := range r.Events {
		if n := len(r.Events); n > 4 && i == 1 {
			parts = append(parts, fmt.Sprintf("and %d more to", n-2))
		} else if n > 4 && i > 1 && i < n-1 {
			continue
		}
		parts = append(parts, eventText(&r.Events[i]))
	}
	if r.Fragment {
		parts = append(parts, "to be continued")
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

func eventText(e *wire.Event) string {
	text := versionText(e.Kv)
	if e.Type == wire.Delete {
		text = fmt.Sprintf("-%s@%d", e.Kv.Key, e.Kv.ModRevision)
	}
	if e.PrevKv != nil {
		text += " was " + versionText(e.PrevKv)
	}
	return text
}

// short is how much of a value is shown.
const short = 8

func versionText(kv *wire.KeyValue) string {
	value := kv.Value
	if len(value) > short {
		value = fmt.Sprintf("%s...%d bytes", value[:short], len(value))
	}
	return fmt.Sprintf("%s=%s@%d (from %d, version %d)", kv.Key, value, kv.ModRevision, kv.CreateRevision, kv.Version)
}

const inclusionHead = `# What clients of a released etcd are answered, and what those of the simulated one are

In small worlds the simulated etcd is searched exhaustively: every trace that any of its schedules shows, with the options of the release and no race masked. A trace is
all that clients are told: each response of each stream in order, with its header revision, and the answers to calls. The code of the release takes %d random
schedules (fewer in the last two worlds), in a quarter of which goroutines switch where they block, and in the others at locks, too. Then each trace that is
missing is searched for: a step behind which it cannot come any more is taken back.

` + "`go run ./measure inclusion`" + ` in the folder upstream measures it and writes inclusion.json, of which ` + "`go run ./measure inclusion -page`" + ` prints this page; ` + "`go run ./measure inclusion NAME`" + ` measures one world again.

- **The code alone**: traces of the released code that the simulated server cannot show: mistakes of the simulation. There %s.
- **With preemption**: a thread of a server can be preempted anywhere. A goroutine of the guest stops where it blocks, and beside others that can run where it takes a
  lock. The code shows these traces if its goroutines also give way in some places of its watch server (etcd@VERSION+preempted, of testdata), and was not
  seen to show them otherwise.
- **Simulated alone**: traces of the simulated server that the code did not show even so. There are %d of %d. Either the simulated server
  can do more than etcd, or these schedules were too few: the rarer a trace is the more it takes.
- **Once**: traces that one random schedule showed. Divided by the schedules that is about how likely the next one shows a new trace.

| world | etcd | simulated traces | states | traces of the code | once | searched for and found | with preemption | the code alone | simulated alone |
|---|---|---|---|---|---|---|---|---|---|
`

func renderInclusion(rows []compared) (string, error) {
	sums := sumOf(rows)
	head := fmt.Sprintf(inclusionHead, etcdSchedules, are(sums.released), sums.simulated, sums.all)
	return renderCompared(head, etcdWorlds, rows, func(r *compared) string {
		return fmt.Sprintf("| %s | %s | %d | %d | %d in %d | %d | %d | %d | %d | %d |\n", r.World, r.Release, r.Simulated, r.States, r.Released, r.Schedules,
			r.Once, r.Reached, *r.Preempted, len(r.ReleasedOnly), len(r.SimulatedOnly))
	}), nil
}
