package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/guests"
)

// cachetraces compares what the clients of the cacher that ships are told with what those of the simulated cache of the
// same release are, in small worlds. Etcd is the simulated one on both sides.
var cachetraces = &table[compared]{
	name: "cachetraces", about: "what clients are told by the cacher that ships and by the simulated one, in small worlds",
	choice: "release", keys: cacheKeys, measure: measureCache, amiss: amissInTraces, render: renderCache,
}

func cacheKeys() []key {
	var all []key
	for _, of := range cacheWorlds {
		for _, release := range cacheReleases {
			if of.writes() || !strings.Contains(release, "+") {
				all = append(all, key{of.Name, release})
			}
		}
	}
	return all
}

// cacheReleases are the releases of Kubernetes, with an option where it is no default: ConsistentGetFromCache
// (KEP-6404) says something of writes alone.
var cacheReleases = []string{"v0.37.2", "v0.38.0-beta.0", "v0.38.0-beta.0+write-state=cache"}

// simulatedCache is the cache of the simulation as a release has it: it starts by a stream of initial events.
func simulatedCache(release string) string { return release + "+reflector-list=watch-list" }

// guestOf is the guest of a release.
func guestOf(release string, how guests.Schedule) string {
	version, set, some := strings.Cut(release, "+")
	if some {
		set = "+" + set
	}
	return "kubernetes@" + version + how.String() + set
}

// cacheSchedules is how many are taken of the released code, a third of them with each way to schedule its goroutines.
// attempts is how many are made at each trace that these do not show.
const (
	cacheSchedules = 600
	attempts       = 400
)

func measureCache(ctx context.Context, k key) (compared, error) {
	return findWorld(cacheWorlds, k.of).compareCache(ctx, k.on, simulatedCache(k.on))
}

// compareCache compares a simulated cache with the guest of a release.
func (of *world) compareCache(ctx context.Context, release, design string) (compared, error) {
	yielding := guestOf(release, guests.Schedule{Locks: true})
	r, s, err := of.compare(ctx, release, design, []part{
		{guestOf(release, guests.Schedule{}), cacheSchedules / 3}, {guestOf(release, guests.Schedule{Late: true}), cacheSchedules / 3}, {yielding, cacheSchedules / 3},
	})
	if err != nil {
		return r, err
	}
	roots, err := of.roots(yielding)
	if err != nil {
		return r, err
	}
	var left []string
	for _, t := range r.SimulatedOnly {
		found, err := of.towards(ctx, roots, s.traces[t], attempts)
		if err != nil {
			return r, err
		}
		if found {
			r.Reached++
		} else {
			left = append(left, t)
		}
	}
	r.SimulatedOnly = left
	return r, nil
}

// cacheText is all of what a client is told in a message, but for what Kubernetes does not tell clients: of revisions
// it knows the last one.
func cacheText(p sim.Payload) string {
	switch r := p.(type) {
	case *wire.ListResponse:
		parts := []string{fmt.Sprintf("LIST at %d", r.ResourceVersion)}
		for _, kv := range r.Items {
			parts = append(parts, objectText(kv))
		}
		if r.Continue != "" {
			parts = append(parts, fmt.Sprintf("and %d more", r.RemainingItemCount))
		}
		return strings.Join(parts, " ")
	case *wire.GetResponse:
		if r.Item == nil {
			return "not found"
		}
		return objectText(r.Item)
	case *wire.WatchEvent:
		switch {
		case r.Err != nil:
			return failed + r.Err.Code.String()
		case r.Item != nil:
			return fmt.Sprintf("%v at %d %s=%s", r.Type, r.ResourceVersion, r.Item.Key, r.Item.Value)
		case r.InitialEventsEnd:
			return fmt.Sprintf("%v at %d, the end of the initial events", r.Type, r.ResourceVersion)
		}
		return fmt.Sprintf("%v at %d", r.Type, r.ResourceVersion)
	case *wire.Error:
		return failed + r.Code.String()
	case *sim.Hangup:
		return "the watch has ended"
	case interface{ Label() string }:
		return r.Label()
	}
	return fmt.Sprintf("%T", p)
}

// failed is how the text of an error begins.
const failed = "error: "

func objectText(kv *wire.KeyValue) string {
	return fmt.Sprintf("%s=%s@%d", strings.TrimPrefix(kv.Key, prefix), kv.Value, kv.ModRevision)
}

const cacheHead = `# What clients of the cacher that ships are told, and what those of the simulated cache are

In small worlds the simulated cache of a release, with reflector-list=watch-list, is searched exhaustively in front of the simulated etcd %s: every trace that any of its schedules
shows. A trace is all that clients are told: each event of each watch in order, and the answers to calls, with revisions. In front of the same etcd the guest of the release takes %d random
schedules, in a third of which its goroutines switch where they block, in another third at locks, too, and in the last third those that can run may be late. Then each trace that is missing is searched for, in up to %d schedules
that take back a step behind which it cannot come any more. In these up to %d more timers fire: those of a guest go off in the order of their times.

The worlds have no clock. Clients begin when the cache serves, and dispatches events: the cacher looks every 10 ms whether it has listed, so that the guest's first timer has fired. As many timers fire from then on as the table says, in any order; a trace is taken where nothing but timers is left and all
calls are answered. ` + "`go run ./measure cachetraces`" + ` in the folder upstream measures it, and ` + "`go run ./measure cachetraces -page`" + ` prints this page; ` + "`go run ./measure cachetraces NAME`" + ` measures one world again.

- **The code alone**: traces of the released code that the simulated cache cannot show: mistakes of the simulation. There %s.
- **Simulated alone**: traces of the simulated cache that the code did not show. There %s of %d.
  Either the simulated cache can do more than the code, or these schedules were too few.
- **Once**: traces that one random schedule showed.

| world | release | timers | simulated traces | states | traces of the code | once | searched for and found | the code alone | simulated alone |
|---|---|---|---|---|---|---|---|---|---|
`

func renderCache(rows []compared) (string, error) {
	sums := sumOf(rows)
	head := fmt.Sprintf(cacheHead, newEtcd, cacheSchedules, attempts, more, are(sums.released), are(sums.simulated), sums.all)
	return renderCompared(head, cacheWorlds, rows, func(r *compared) string {
		firings := 0
		if of := findWorld(cacheWorlds, r.World); of != nil {
			firings = of.Firings
		}
		return fmt.Sprintf("| %s | %s | %d | %d | %d | %d in %d | %d | %d | %d | %d |\n", r.World, r.Release, firings, r.Simulated, r.States, r.Released, r.Schedules,
			r.Once, r.Reached, len(r.ReleasedOnly), len(r.SimulatedOnly))
	}), nil
}
