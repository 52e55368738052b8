package testbed

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/sim/option"
)

// KnownBug is a bug that a cache, etcd or a client library had, or that one easily
// could have: how it is planted, and where it shows.
type KnownBug struct {
	Name string
	// Issue is where it was reported or fixed: "kubernetes/kubernetes#49956"; empty
	// if none is known to have had it.
	Issue string
	// FixedIn is the first release without it, "Kubernetes 1.8"; empty if there is
	// none to name.
	FixedIn string
	// Summary is one sentence.
	Summary string
	// Setting plants it, NAME=VALUE. It is empty for a bug that Bugs knows from a
	// table.
	Setting string

	// Scenario in which it shows, and Property that finds it there.
	Scenario *Scenario
	Property *Property
	// Also are other scenarios in which that property finds it.
	Also []*Scenario
	// Strategy with which it is looked for; empty is the one that simrun uses if
	// it is given none.
	Strategy string
	// Why it is this property that finds it.
	Why string

	// Further are other properties that it violates in these scenarios, which a
	// campaign may miss, and WhyFurther is the reason. Any other violation is a
	// surprise.
	Further    []*Property
	WhyFurther string
}

// ShowsIn reports whether the bug is looked for in a scenario.
func (b *KnownBug) ShowsIn(sc *Scenario) bool {
	return b.Scenario == sc || slices.Contains(b.Also, sc)
}

var knownBugs = registry.New[*KnownBug]("known bug")

// RegisterKnownBug adds a known bug. It panics if the name is taken; call it in
// package variable declarations or init functions.
func RegisterKnownBug(b *KnownBug) *KnownBug { return knownBugs.Add(b.Name, b) }

// KnownBugs lists the known bugs: Kubernetes' by the number of the issue, etcd's,
// then those without an issue by name.
func KnownBugs() []*KnownBug {
	all := knownBugs.All()
	slices.SortStableFunc(all, func(a, b *KnownBug) int { return compareNames(a.Name, b.Name) })
	return all
}

// projects are the beginnings of names of bugs that go on with the number of an
// issue.
var projects = []string{"kubernetes-", "etcd-"}

func compareNames(a, b string) int {
	projectA, numberA := issueOf(a)
	projectB, numberB := issueOf(b)
	return cmp.Or(cmp.Compare(projectA, projectB), cmp.Compare(numberA, numberB), cmp.Compare(a, b))
}

// issueOf reads a bug's name as that of an issue: the place of its project, and
// the number. Other names come after them and are equal.
func issueOf(name string) (project, number int) {
	for i, p := range projects {
		if rest, ok := strings.CutPrefix(name, p); ok {
			if n, err := strconv.Atoi(rest); err == nil {
				return i, n
			}
		}
	}
	return len(projects), 0
}

// Plants reports whether the parameters ask for a bug, by its name or by a setting.
func (p *Params) Plants(b *Bug) bool {
	return slices.Contains(p.Bugs, b.Name) || slices.Contains(p.Settings, option.Setting{Name: b.Option, Value: b.Value})
}

// Planted are the known bugs that the parameters ask for, by name or by setting.
func (p *Params) Planted() []*KnownBug {
	var found []*KnownBug
	for _, b := range Bugs() {
		known, err := knownBugs.Find(b.Name)
		if err == nil && p.Plants(&b) {
			found = append(found, known)
		}
	}
	return found
}
