package flip

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/testbed"
)

// Decision is what decides, with the values that make the violation go away. The nil
// Decision says that no setting does.
type Decision struct {
	candidate
	values []trial
	// strict: each of the values is convincing.
	strict bool
	// shows: the value is a known bug that is looked for in the scenario.
	shows bool
	// also are other behaviours of the same node that decide as well.
	also []*Decision
}

// rank puts the behaviour first that decides for sure, then the one that makes more of
// the other runs hold, then a known bug that the scenario was made for, then what a
// release changed, then where more of the recorded choices fit.
func (d *Decision) rank(e *Decision) int {
	a, b := d.best(), e.best()
	later := func(v *trial) int {
		if v.since.later {
			return 1
		}
		return 0
	}
	if d.strict != e.strict {
		if d.strict {
			return -1
		}
		return 1
	}
	shows := func(d *Decision) int {
		if d.shows {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(b.share(), a.share()), shows(e)-shows(d), later(b)-later(a), b.taken*a.recorded-a.taken*b.recorded)
}

func (d *Decision) best() *trial {
	best := &d.values[0]
	for i := range d.values {
		if v := &d.values[i]; v.share() > best.share() {
			best = v
		}
	}
	return best
}

// worst is the value that speaks least for the decision.
func (d *Decision) worst() *trial {
	worst := &d.values[0]
	for i := range d.values {
		if v := &d.values[i]; v.share() < worst.share() || v.share() == worst.share() && v.taken < worst.taken {
			worst = v
		}
	}
	return worst
}

var owner = map[string]string{
	"etcd": "etcd", "client": "the client library", "cache": "the cache", "informers": "the informers", "compactor": "the compactors",
}

// Blame is what is said to be the cause: an option with the value that it has, of
// which members of etcd or API servers if it is not all of them, or the option of the
// faults. It is
// empty if no setting decides.
func (d *Decision) Blame() string {
	switch {
	case d == nil:
		return ""
	case d.Node == ofFaults:
		return d.Name
	}
	return d.Name + "=" + d.Value + d.ofWhich()
}

// ofWhich names the members of etcd or the API servers, if it is not all of them.
func (d *Decision) ofWhich() string {
	if d.member != "" {
		return " of etcd " + d.member
	}
	return d.ofServers()
}

// ofServers names the API servers, if it is not all of them.
func (d *Decision) ofServers() string {
	if names := d.serverNames(); names != "" {
		return " of " + names
	}
	return ""
}

// serverNames are empty if it is all API servers.
func (d *Decision) serverNames() string {
	names := slices.Clone(d.servers)
	if d.later {
		names = append(names, "the API servers that come later")
	}
	return strings.Join(names, " and ")
}

// Passing are parameters with which the recorded schedule passes, and what is different
// about them.
func (d *Decision) Passing() (p testbed.Params, difference string) {
	v := d.best()
	return v.params, d.Name + "=" + v.name + d.ofWhich()
}

// String says it in a sentence or two.
func (d *Decision) String() string {
	if d == nil {
		return "Neither another release of etcd or of its client library nor a default of the cache or of its informers makes the violation go away."
	}
	s := d.sentence()
	for _, other := range d.also {
		s += fmt.Sprintf(" The same is true with %s%s.", other.names(), other.ofServers())
	}
	return s
}

// Doubt says what the schedule passes with, if that may be chance.
func (d *Decision) Doubt() string {
	v := d.worst()
	return fmt.Sprintf("No setting is sure to decide. With %s%s %s%s: too little to tell that from chance.", d.names(), d.ofWhich(), v.schedule(), v.others())
}

func (d *Decision) sentence() string {
	v := d.worst()
	if d.Node == ofFaults {
		return fmt.Sprintf("A fault decides, which no cache can bear: %s=%s. Without it %s%s.", d.Name, d.Value, v.schedule(), v.others())
	}
	bug := ""
	if d.planted {
		bug = " (the bug " + bugOf(d.Node, d.Name, d.Value).Name + ")"
	}
	node := owner[d.Node]
	switch {
	case d.member != "":
		node += " " + d.member
	case d.Node == "client":
		node += d.ofServers()
	case d.serverNames() != "":
		node = d.serverNames()
	}
	if !d.strict {
		return fmt.Sprintf("In this run one behaviour of %s decides: %s=%s%s. With %s %s. There is another cause as well: of %d other failing schedules, searched for among other seeds, %d still fail.",
			node, d.Name, d.Value, bug, d.names(), v.schedule(), v.gone+v.still, v.still)
	}
	return fmt.Sprintf("One behaviour of %s decides: %s=%s%s. With %s %s%s.",
		node, d.Name, d.Value, bug, d.names(), v.schedule(), v.others())
}

// names lists the values, each with the releases or designs that have it.
func (d *Decision) names() string {
	var names []string
	for i := range d.values {
		v := &d.values[i]
		name := d.Name + "=" + v.name
		if v.since.text != "" {
			name += " (" + v.since.text + ")"
		}
		names = append(names, name)
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
