package story

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/sim"
)

// before marks the steps that led to the given ones: who sent the message that
// was delivered, who armed the timer, who gave the loop something to do, and
// what a node had taken in before that it goes by.
func (t *Run) before(ends []int) []bool {
	led := make([]bool, len(t.Trace.Steps))
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
func (t *Run) causesOf(i int) []int {
	s := &t.Trace.Steps[i]
	var list []int
	if s.Delivered >= 0 {
		list = append(list, t.Trace.Messages[s.Delivered].Sent)
	}
	switch {
	case s.Kind == sim.Fire && t.Clients[s.Node]:
		// What a client asks next is its own business.
	case s.Kind == sim.Run || s.Kind == sim.Fire:
		// A loop that finds more to do gives work to itself; then what it works
		// on says more than that.
		request := t.request(i)
		again := s.Since >= 0 && t.Trace.Steps[s.Since].Slot == s.Slot
		if request < 0 || !again {
			list = append(list, s.Since)
		}
		list = append(list, request)
	}
	for _, n := range s.Notes {
		list = append(list, t.owes(i, n)...)
	}
	return list
}

// request is the message that a loop works on: the last delivery to its node with
// the cause of what the step sends.
func (t *Run) request(i int) int {
	s := &t.Trace.Steps[i]
	for j := i - 1; j >= 0 && len(s.Causes) > 0; j-- {
		x := &t.Trace.Steps[j]
		if x.Node == s.Node && x.Delivered >= 0 && len(x.Causes) > 0 && x.Causes[0] == s.Causes[0] {
			return j
		}
	}
	return -1
}

// owes are the steps before i without which a node would not say what it says:
// they left something behind in the node's state, which no message and no timer
// shows.
func (t *Run) owes(i int, n trace.Note) []int {
	switch {
	case strings.HasPrefix(n.Text, "has listed "):
		return nil
	case changesCache(n.Text), strings.HasPrefix(n.Text, "answers "):
		return []int{t.lastSaid(i, n.Node, changesCache)}
	case strings.HasPrefix(n.Text, "hears from etcd that it is at revision "):
		rev, _ := strconv.ParseInt(n.Text[strings.LastIndexByte(n.Text, ' ')+1:], 10, 64)
		return []int{t.applied(rev)}
	case strings.HasPrefix(n.Text, "asks etcd for progress"):
		// One requester asks on behalf of all that wait.
		var list []int
		for j := range i {
			if says(&t.Trace.Steps[j], n.Node, contains(" waits for resourceVersion ")) {
				list = append(list, j)
			}
		}
		return list
	case strings.HasSuffix(n.Text, "the deferred progress request"), strings.HasSuffix(n.Text, "an earlier one is still deferred"):
		return []int{t.lastSaid(i, n.Node, contains(" and is deferred "))}
	}
	return append(t.owesQueues(i, n), t.owesWatch(i, n)...)
}

// owesQueues: what sendLoop sends was put into a queue before, and what is put
// into a watch channel comes from a watcher that syncWatchers made a synced one.
func (t *Run) owesQueues(i int, n trace.Note) []int {
	if _, stream, ok := strings.Cut(n.Text, " goes into the watch channel of "); ok {
		return []int{t.lastSaid(i, n.Node, func(earlier string) bool {
			return strings.HasPrefix(earlier, "syncWatchers ") && strings.Contains(earlier+" ", " of "+stream+" ")
		})}
	}
	if !strings.HasPrefix(n.Text, "sendLoop ") {
		return nil
	}
	first := sentRevision.FindStringSubmatch(n.Text)
	if first == nil {
		return nil
	}
	return []int{t.lastSaid(i, n.Node, func(earlier string) bool {
		return strings.Contains(earlier, " goes into ") && mentions(earlier, first[1])
	})}
}

// sentRevision is that of the first event that is sent, or of the progress.
var sentRevision = regexp.MustCompile(`(?:@|progress )(\d+)`)

// owesWatch: whatever happens to a stream follows from a watch that was
// registered on it, and from the compaction that took its history.
func (t *Run) owesWatch(i int, n trace.Note) []int {
	list := []int{t.lastSaid(i, n.Node, func(earlier string) bool {
		stream, ok := strings.CutPrefix(earlier, "registers a watch of ")
		stream, _, _ = strings.Cut(stream, " from revision ")
		return ok && (strings.Contains(n.Text, " of "+stream) || strings.Contains(n.Text, " to "+stream))
	})}
	if strings.Contains(n.Text, "compacted") {
		list = append(list, t.lastSaid(i, n.Node, contains("applies Compact ")))
	}
	return list
}

func contains(part string) func(string) bool {
	return func(s string) bool { return strings.Contains(s, part) }
}

func (t *Run) lastSaid(before int, n sim.NodeID, what func(string) bool) int {
	for i := before - 1; i >= 0; i-- {
		if says(&t.Trace.Steps[i], n, what) {
			return i
		}
	}
	return -1
}

// after marks what came of a step, up to the last of the given ones.
func (t *Run) after(first, last int) []bool {
	came := make([]bool, len(t.Trace.Steps))
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
