package clusterbed

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/clusternode"
)

// What a run can do without, beside faults, and what clients and the operator do.
const (
	partGoroutines = "goroutines that run in any order"
	partLocks      = "goroutines that give way at locks"
	partLate       = "goroutines that are late"
	partSync       = "syncs that take time"
	partNetwork    = "messages that take time"
	partProgress   = "requests of progress"
	partObserver   = "the observer"
)

// operationOf, strikeOf and dueOf name parts.
func operationOf(client string, n int) string { return fmt.Sprintf("operation %d of %s", n+1, client) }

func strikeOf(of family, target string) string { return "a " + kinds[of].one + " " + target }

func dueOf(of family, n int) string { return fmt.Sprintf("%s %d", kinds[of].one, n+1) }

// everyMember is the target of a fault that strikes all of them at once.
const everyMember = "all members"

const auditorName = "auditor"

func clientName(i int) string { return fmt.Sprintf("client-%d", i+1) }

func watcherName(i int) string { return fmt.Sprintf("watcher-%d", i+1) }

func readerName(i int) string { return fmt.Sprintf("reader-%d", i+1) }

func holderName(i int) string { return fmt.Sprintf("holder-%d", i+1) }

// parts are those that a run can do without, by kinds.
func (c *Config) parts() (all []recording.Kind) {
	add := func(name string, n int, part func(i int) string) {
		k := recording.Kind{Name: name}
		for i := range n {
			k.Parts = append(k.Parts, part(i))
		}
		if n > 0 {
			all = append(all, k)
		}
	}
	for i := range c.Clients {
		add("operations of "+clientName(i), c.Operations, func(n int) string { return operationOf(clientName(i), n) })
	}
	add("watchers", c.Watchers+c.Negative, watcherName)
	add("readers", c.Caches*c.Readers, readerName)
	add("holders of leases", c.Holders, holderName)
	once := func(has bool, part string) {
		if has {
			add(part, 1, func(int) string { return part })
		}
	}
	once(c.Progress > 0 && c.Watchers > 0, partProgress)
	once(c.Observe > 0, partObserver)
	for i := range kinds {
		of, times := family(i), kinds[i].times(&c.Faults)
		switch of {
		case moves, defragments, changes, authChanges, updates, forceNewClusters:
			add(kinds[i].name, times, func(n int) string { return dueOf(of, n) })
		case backups:
			add(kinds[i].name, times, func(int) string { return strikeOf(of, everyMember) })
		case restarts:
			add(kinds[i].name, times*c.Caches, func(n int) string { return strikeOf(of, serverName(n%c.Caches)) })
		default:
			add(kinds[i].name, times*c.machines(), func(n int) string { return strikeOf(of, memberName(n%c.machines())) })
		}
	}
	once(c.Network > 0, partNetwork)
	once(c.Choice.Sync > 0, partSync)
	once(c.Choice.Late, partLate)
	once(c.Choice.Locks, partLocks)
	once(c.Choice.Goroutines, partGoroutines)
	return all
}

// Parts implements recording.Parted.
func (s *subject) Parts() []recording.Kind {
	out := count(s.config.Without)
	all := s.config.parts()
	for i := range all {
		// Of alike parts those that are left out come first.
		all[i].Parts = slices.DeleteFunc(all[i].Parts, func(p string) bool {
			out[p]--
			return out[p] >= 0
		})
	}
	return slices.DeleteFunc(all, func(k recording.Kind) bool { return len(k.Parts) == 0 })
}

// LeaveOut implements recording.Parted.
func (s *subject) LeaveOut(parts []string) {
	s.config.Without = slices.Concat(s.always, parts)
	s.out = count(s.config.Without)
}

func count(parts []string) map[string]int {
	n := map[string]int{}
	for _, p := range parts {
		n[p]++
	}
	return n
}

// without reports whether runs do without a part.
func (s *subject) without(part string) bool { return s.out[part] > 0 }

// unless is a node, or one that does nothing in its place.
func (s *subject) unless(part string, n sim.Node) sim.Node {
	if s.without(part) {
		return sim.Idle{}
	}
	return n
}

// choices are those that members make in runs.
func (s *subject) choices() clusternode.Choices {
	c := s.config.Choice
	c.Goroutines = c.Goroutines && !s.without(partGoroutines)
	c.Locks = c.Locks && !s.without(partLocks)
	c.Late = c.Late && !s.without(partLate)
	if s.without(partSync) {
		c.Sync = 0
	}
	return c
}
