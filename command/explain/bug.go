package explain

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

func bugNames() []string {
	var names []string
	for _, b := range testbed.Bugs() {
		names = append(names, b.Name)
	}
	return names
}

// explainBug takes the name of a bug, or that of an issue: "etcd-io/etcd#15220".
func explainBug(name string) []Explanation {
	var all []Explanation
	for _, b := range testbed.Bugs() {
		if b.Name == name || b.Issue == name {
			all = append(all, bug(&b))
		}
	}
	return all
}

func bug(b *testbed.Bug) Explanation {
	e := Explanation{Kind: "known bug", Name: b.Name, Summary: b.Summary}
	if b.Issue == "" {
		e.say("issue", "none is known")
	}
	e.say("issue", b.Issue)
	e.say("fixed in", fixedIn(b))
	changes := setting(b.Option, b.Value)
	changes.Name += " (" + b.Node + ")"
	e.list("what it changes", []Item{changes})
	known := knownBug(b.Name)
	if known == nil {
		e.say("to plant it", "simrun run SCENARIO --bug "+b.Name)
		return e
	}
	where := []Item{{known.Scenario.Name, []string{known.Property.Name + ": " + known.Why}}}
	for _, sc := range known.Also {
		where = append(where, Item{sc.Name, []string{known.Property.Name}})
	}
	e.list("where it shows", where)
	if len(known.Further) > 0 {
		e.list("what else it violates there, rarely or always", []Item{{joined(testbed.Names(known.Further)), []string{known.WhyFurther}}})
	}
	e.say("to see it", "simrun "+strings.Join(Command(known), " "))
	return e
}

// fixedIn names the releases without the bug.
func fixedIn(b *testbed.Bug) string {
	if b.FixedIn != "" {
		return b.FixedIn
	}
	if b.Node != "etcd" {
		return ""
	}
	if fixed := etcd.FixedIn(b.Option, b.Value); fixed != nil {
		return "etcd " + fixed.String()
	}
	return "no release yet"
}

// knownBug is nil if nothing is written down of where the bug shows.
func knownBug(name string) *testbed.KnownBug {
	all := testbed.KnownBugs()
	if i := slices.IndexFunc(all, func(b *testbed.KnownBug) bool { return b.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// Command is the command line that shows a bug, without the name of the program. A
// scenario whose parameters have the bug already needs no --bug.
func Command(b *testbed.KnownBug) []string {
	args := []string{"run", b.Scenario.Name}
	if !b.Scenario.Params.Has(b.Name) {
		args = append(args, "--bug", b.Name)
	}
	if b.Strategy != "" {
		args = append(args, "--strategy", b.Strategy)
	}
	return args
}
