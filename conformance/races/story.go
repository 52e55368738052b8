package races

import (
	"fmt"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"strings"
)

// Story is the race for people, and where the schedule went wrong that gave most of it.
func (r *Race) Story(result *Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "etcd %s%s: a race that began at revision %d is %s after %d states\n", r.Version, r.where(), r.Begin, result.Verdict, result.States)
	for i := range r.Moments {
		m := &r.Moments[i]
		if i == result.At {
			r.contradiction(&b, result)
		}
		arrow := "<-"
		if m.Sent {
			arrow = "->"
		}
		fmt.Fprintf(&b, "%3d %-6s %s %s\n", i, names[m.Client], arrow, describe(m.Payload))
	}
	if result.At == len(r.Moments) {
		r.contradiction(&b, result)
	}
	return b.String()
}

// where says which member served the race, if it is not the only one.
func (r *Race) where() string {
	if r.OnFollower {
		return ", on a follower"
	}
	return ""
}

func (r *Race) contradiction(b *strings.Builder, result *Result) {
	if result.Verdict == Reached {
		return
	}
	if c := result.Furthest; c != nil {
		fmt.Fprintf(b, "    no schedule gets further; one of them sends the %s: %s\n", names[c.Client], describe(c.Sent))
		return
	}
	b.WriteString("    no schedule gets further\n")
}

// describe is the label with what labels leave out.
func describe(p sim.Payload) string {
	s := p.Label()
	switch p := p.(type) {
	case *wire.WatchResponse:
		return fmt.Sprintf("watch %d at %d: %s", p.WatchID, p.Revision, s)
	case *wire.WatchCreateRequest:
		return fmt.Sprintf("%s, filters %d, prevKV %v", s, p.Filters, p.PrevKv)
	case *wire.RangeRequest:
		if p.Serializable {
			return s + ", serializable"
		}
	case *wire.RangeResponse:
		for _, kv := range p.Kvs {
			s += fmt.Sprintf(" %s=%s@%d", kv.Key, kv.Value, kv.ModRevision)
		}
	}
	return s
}
