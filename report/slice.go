package report

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim"
)

// before marks the steps that led to the given ones: who sent the message that
// was delivered, who armed the timer, who gave the loop something to do, and
// what a node had taken in before that it goes by.
func (t *trace) before(ends []int) []bool {
	led := make([]bool, len(t.steps))
	work := append([]int(nil), ends...)
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if i < 0 || led[i] {
			continue
		}
		led[i] = true
		work = append(work, t.causesOf(i)...)
	}
	return led
}

// causesOf are the steps without which this one would not have been, as far as
// the trace tells.
func (t *trace) causesOf(i int) []int {
	s := &t.steps[i]
	var list []int
	if s.delivered >= 0 {
		list = append(list, t.messages[s.delivered].sent)
	}
	switch {
	case s.kind == sim.Fire && t.clients[s.node]:
		// What a client asks next is its own business.
	case s.kind == sim.Run || s.kind == sim.Fire:
		// A loop that finds more to do gives work to itself; then what it works
		// on says more than that.
		request := t.request(i)
		again := s.since >= 0 && t.steps[s.since].slot == s.slot
		if request < 0 || !again {
			list = append(list, s.since)
		}
		list = append(list, request)
	}
	for _, n := range s.notes {
		list = append(list, t.owes(i, n)...)
	}
	return list
}

// request is the message that a loop works on: the last delivery to its node with
// the cause of what the step sends.
func (t *trace) request(i int) int {
	s := &t.steps[i]
	for j := i - 1; j >= 0 && len(s.causes) > 0; j-- {
		x := &t.steps[j]
		if x.node == s.node && x.delivered >= 0 && len(x.causes) > 0 && x.causes[0] == s.causes[0] {
			return j
		}
	}
	return -1
}

// owes are the steps before i without which a node would not say what it says:
// they left something behind in the node's state, which no message and no timer
// shows.
func (t *trace) owes(i int, n note) []int {
	switch {
	case strings.HasPrefix(n.text, "has listed "):
		return nil
	case changesCache(n.text), strings.HasPrefix(n.text, "answers "):
		return []int{t.lastSaid(i, n.node, changesCache)}
	case strings.HasPrefix(n.text, "hears from etcd that it is at revision "):
		rev, _ := strconv.ParseInt(n.text[strings.LastIndexByte(n.text, ' ')+1:], 10, 64)
		return []int{t.applied(rev)}
	case strings.HasPrefix(n.text, "asks etcd for progress"):
		// One requester asks on behalf of all that wait.
		var list []int
		for j := range i {
			if t.steps[j].says(n.node, contains(" waits for resourceVersion ")) {
				list = append(list, j)
			}
		}
		return list
	case strings.HasSuffix(n.text, "the deferred progress request"), strings.HasSuffix(n.text, "an earlier one is still deferred"):
		return []int{t.lastSaid(i, n.node, contains(" and is deferred "))}
	}
	return append(t.owesQueues(i, n), t.owesWatch(i, n)...)
}

// owesQueues: what sendLoop sends was put into a queue before, and what is put
// into a watch channel comes from a watcher that syncWatchers made a synced one.
func (t *trace) owesQueues(i int, n note) []int {
	if _, stream, ok := strings.Cut(n.text, " goes into the watch channel of "); ok {
		return []int{t.lastSaid(i, n.node, func(earlier string) bool {
			return strings.HasPrefix(earlier, "syncWatchers ") && strings.Contains(earlier+" ", " of "+stream+" ")
		})}
	}
	if !strings.HasPrefix(n.text, "sendLoop ") {
		return nil
	}
	first := sentRevision.FindStringSubmatch(n.text)
	if first == nil {
		return nil
	}
	return []int{t.lastSaid(i, n.node, func(earlier string) bool {
		return strings.Contains(earlier, " goes into ") && mentions(earlier, first[1])
	})}
}

// sentRevision is that of the first event that is sent, or of the progress.
var sentRevision = regexp.MustCompile(`(?:@|progress )(\d+)`)

// owesWatch: whatever happens to a stream follows from a watch that was
// registered on it, and from the compaction that took its history.
func (t *trace) owesWatch(i int, n note) []int {
	list := []int{t.lastSaid(i, n.node, func(earlier string) bool {
		stream, ok := strings.CutPrefix(earlier, "registers a watch of ")
		stream, _, _ = strings.Cut(stream, " from revision ")
		return ok && (strings.Contains(n.text, " of "+stream) || strings.Contains(n.text, " to "+stream))
	})}
	if strings.Contains(n.text, "compacted") {
		list = append(list, t.lastSaid(i, n.node, contains("applies Compact ")))
	}
	return list
}

func contains(part string) func(string) bool {
	return func(s string) bool { return strings.Contains(s, part) }
}

func (t *trace) lastSaid(before int, n sim.NodeID, what func(string) bool) int {
	for i := before - 1; i >= 0; i-- {
		if t.steps[i].says(n, what) {
			return i
		}
	}
	return -1
}

// after marks what came of a step, up to the last of the given ones.
func (t *trace) after(first, last int) []bool {
	came := make([]bool, len(t.steps))
	if first < 0 {
		return came
	}
	came[first] = true
	for i := first + 1; i <= last; i++ {
		for _, j := range t.causesOf(i) {
			if j >= first && came[j] {
				came[i] = true
			}
		}
	}
	return came
}
