package flip

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/testbed"
)

// Decision is what decides, with the values that make the violation go away.
type Decision struct {
	candidate
	values []trial
	// strict: each of the values is convincing.
	strict bool
	// shows: the value is a known bug that is looked for in the scenario.
	shows bool
	// promised: the property is to hold with the value.
	promised bool
	// also are other behaviours of the same node that decide as well.
	also []*Decision
}

// switches: the value is not at fault. It has other code run, or has it run in another way.
func (d *Decision) switches() bool { return d.promised || d.off() }

// off: with each of the values that pass, the code of the option does not run. So what is wrong may be anywhere in it.
func (d *Decision) off() bool {
	return !d.planted && d.changed == "" && bugOf(d.Node, d.Name, d.Value) == nil &&
		!slices.ContainsFunc(d.values, func(v trial) bool { return !slices.Contains(d.Off, v.name) })
}

// rank puts the behaviour first that decides for sure, then one that does not only switch code on, then the one that
// makes more of the other runs hold, then a known bug that the scenario was made for, then what a release changed,
// then where more of the recorded choices fit.
func (d *Decision) rank(e *Decision) int {
	a, b := d.best(), e.best()
	first := func(of, other bool) int {
		switch {
		case of == other:
			return 0
		case of:
			return -1
		}
		return 1
	}
	return cmp.Or(first(d.strict, e.strict), first(e.switches(), d.switches()), cmp.Compare(b.share(), a.share()), first(d.shows, e.shows), first(a.since.later, b.since.later),
		b.taken*a.recorded-a.taken*b.recorded)
}

// best and worst are the values that speak most and least for the decision.
func (d *Decision) best() *trial {
	return d.extreme(func(v, best *trial) bool { return v.share() > best.share() })
}

func (d *Decision) worst() *trial {
	return d.extreme(func(v, worst *trial) bool {
		return v.share() < worst.share() || v.share() == worst.share() && v.taken < worst.taken
	})
}

func (d *Decision) extreme(before func(v, w *trial) bool) *trial {
	found := &d.values[0]
	for i := range d.values {
		if v := &d.values[i]; before(v, found) {
			found = v
		}
	}
	return found
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
	case d.changed != "":
		return d.changed
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
	s := d.sentence()
	for _, other := range d.also {
		s += fmt.Sprintf(" The same is true with %s%s.", other.names(), other.ofServers())
	}
	return s
}

// String says what decides, what may do so, or what was tried in vain.
func (o *Outcome) String() string {
	switch {
	case o.Decision != nil:
		return o.Decision.String()
	case o.Switch != nil:
		return o.Switch.String()
	case o.Maybe != nil:
		return o.Maybe.doubt()
	}
	return "No setting is sure to decide." + o.inVain()
}

// inVain lists what was tried, empty if nothing was.
func (o *Outcome) inVain() string {
	var tried, nodes []string
	for i, c := range o.tried {
		switch {
		case slices.ContainsFunc(o.tried[:i], func(d candidate) bool {
			return d.Node == c.Node && d.Name == c.Name && d.whole == c.whole && d.changed == c.changed
		}):
		case c.Node == ofFaults:
			tried = append(tried, "no "+c.Name)
		case c.whole:
			tried = append(tried, c.Values...)
		case !slices.Contains(nodes, "of "+owner[c.Node]):
			nodes = append(nodes, "of "+owner[c.Node])
		}
	}
	if len(nodes) > 0 {
		tried = append(tried, "other values of options "+strings.Join(nodes, ", "))
	}
	if len(tried) == 0 {
		return ""
	}
	return " Tried, one at a time: " + strings.Join(tried, ", ") + "."
}

// doubt says what the schedule passes with, if that may be chance.
func (d *Decision) doubt() string {
	v := d.worst()
	return fmt.Sprintf("No setting is sure to decide. %s%s %s%s: too little to tell that from chance.", d.with(), d.ofWhich(), v.schedule(), v.others())
}

func (d *Decision) sentence() string {
	v, subject, what := d.worst(), "one behaviour of "+d.subject(), d.Name+"="+d.Value
	switch {
	case d.Node == ofFaults:
		return fmt.Sprintf("A fault decides, which no cache can bear: %s. Without it %s%s.", what, v.schedule(), v.others())
	case d.planted:
		what += " (the bug " + bugOf(d.Node, d.Name, d.Value).Name + ")"
	case d.changed != "":
		subject, what = "a change of "+d.subject(), d.changed
	case d.whole:
		subject, what = "the code of "+d.subject(), d.Value
	case d.switches():
		with := d.with()
		if d.off() {
			with += " that code does not run, and"
		}
		return fmt.Sprintf("No setting decides, but the violation needs one of %s: %s. %s %s%s.", d.subject(), what, with, v.schedule(), v.others())
	}
	if !d.strict {
		return fmt.Sprintf("In this run %s decides: %s. %s %s. There is another cause as well: %s.",
			subject, what, d.with(), v.schedule(), v.left())
	}
	return fmt.Sprintf("%s decides: %s. %s %s%s.", strings.ToUpper(subject[:1])+subject[1:], what, d.with(), v.schedule(), v.others())
}

// subject is the node, with the members of etcd or the API servers if it is not all of them.
func (d *Decision) subject() string {
	switch {
	case d.member != "":
		return owner[d.Node] + " " + d.member
	case d.Node == "client":
		return owner[d.Node] + d.ofServers()
	case d.serverNames() != "":
		return d.serverNames()
	}
	return owner[d.Node]
}

// with is what is otherwise in the schedules that pass.
func (d *Decision) with() string {
	if d.changed != "" {
		return "Without " + d.changed + " (" + d.names() + ")"
	}
	return "With " + d.names()
}

// names lists the values, each with the releases or designs that have it.
func (d *Decision) names() string {
	var names []string
	for i := range d.values {
		v := &d.values[i]
		name := v.name
		if !d.whole {
			name = d.Name + "=" + name
		}
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
