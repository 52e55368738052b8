package testbed

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// KnownBug is a bug that a cache, etcd, a client library, an informer or a compactor had,
// or that one easily could have: how it is planted, and where it shows.
type KnownBug struct {
	Name string
	// Issue is where it was reported or fixed: "kubernetes/kubernetes#49956"; empty
	// if none is known to have had it.
	Issue string
	// FixedIn are the first releases without it; zero if there is none to name.
	FixedIn FirstReleases
	// Summary is one sentence.
	Summary string
	// Setting plants it, NAME=VALUE: an option of a node.
	Setting string

	// Scenario in which it shows, and Property that finds it there.
	Scenario *Scenario
	Property *Property
	// Also are other scenarios in which that property finds it.
	Also []*Scenario
	// Strategy with which it is looked for; empty is simrun's default.
	Strategy string
	// Why it is this property that finds it.
	Why string

	// Further are other properties that it violates in these scenarios, which a
	// campaign may miss, and WhyFurther is the reason. Any other violation is a
	// surprise.
	Further    []*Property
	WhyFurther string

	// Unsearched is why no search finds it, although one judges the property: what its bounds come to.
	Unsearched string
}

// FirstReleases are those of a program, "etcd" or "client-go", from which on something holds: the first of each branch
// that it was brought to, the oldest first. Later branches have it from their start.
type FirstReleases struct {
	Of       string
	Versions []string
}

// Fix are the first releases of a program with a fix.
func Fix(of string, versions ...string) FirstReleases { return FirstReleases{of, versions} }

// String is "etcd 3.4.25 and 3.5.8", empty if there are none.
func (f FirstReleases) String() string {
	last := len(f.Versions) - 1
	if last < 1 {
		return strings.TrimSpace(f.Of + " " + strings.Join(f.Versions, ""))
	}
	return f.Of + " " + strings.Join(f.Versions[:last], ", ") + " and " + f.Versions[last]
}

// ShowsIn reports whether the bug is looked for in a scenario.
func (b *KnownBug) ShowsIn(sc *Scenario) bool {
	return b.Scenario == sc || slices.Contains(b.Also, sc)
}

// WhyUnsearched is why no search finds it, empty if one may.
func (b *KnownBug) WhyUnsearched() string {
	switch {
	case b.Unsearched != "":
		return b.Unsearched
	case b.Scenario.Params.Clock.Mode == sim.Timed:
		return "shows in runs with a clock"
	case b.Property.Monitor.Runs&Untimed == 0 || b.Property.Monitor.Liveness != nil:
		return "a search does not judge " + b.Property.Name
	}
	return ""
}

// Planting is Setting as an option with its value.
func (b *KnownBug) Planting() option.Setting { return option.Settings(b.Setting)[0] }

// Preset is what plants the bug.
func (b *KnownBug) Preset() *option.Preset {
	return &option.Preset{Name: b.Name, Doc: b.Summary, Settings: option.Settings(b.Setting)}
}

// Node is the node with the bug, "etcd", "client", "cache", "informers" or
// "compactor"; empty if no node has an option of that name.
func (b *KnownBug) Node() string {
	o, err := nodeGroup.Find(b.Planting().Name)
	if err != nil {
		return ""
	}
	return o.Node
}

var knownBugs = registry.New[*KnownBug]("known bug")

// RegisterKnownBug adds a known bug. It panics if the name is taken or if its setting
// is not of the form NAME=VALUE; call it in package variable declarations or init
// functions, where the option that plants it is registered already.
func RegisterKnownBug(b *KnownBug) *KnownBug {
	option.Settings(b.Setting)
	return knownBugs.Insert(b.Name, b, inOrder)
}

// buggyNodes are the nodes that have known bugs, in the order in which lists show
// them.
var buggyNodes = []string{"etcd", "client", "cache", "informers", "compactor"}

// KnownBugs lists the known bugs: those of etcd, of the client library, of the cache, of
// informers and of compactors. Within each of them the names of issues come first, by number.
func KnownBugs() []*KnownBug { return knownBugs.All() }

func inOrder(a, b *KnownBug) int {
	return cmp.Or(cmp.Compare(a.place(), b.place()), compareNames(a.Name, b.Name))
}

func (b *KnownBug) place() int { return slices.Index(buggyNodes, b.Node()) }

// trackers are the beginnings of names of bugs that go on with the number of an
// issue.
var trackers = []string{"issue-", "kubernetes-", "etcd-"}

func compareNames(a, b string) int {
	trackerA, numberA := issueOf(a)
	trackerB, numberB := issueOf(b)
	return cmp.Or(cmp.Compare(trackerA, trackerB), cmp.Compare(numberA, numberB), cmp.Compare(a, b))
}

// issueOf reads a bug's name as that of an issue: the place of its tracker, and the
// number, behind which more of the name may come. Other names come after them and
// are equal.
func issueOf(name string) (tracker, number int) {
	for i, p := range trackers {
		if rest, ok := strings.CutPrefix(name, p); ok {
			digits, _, _ := strings.Cut(rest, "-")
			if n, err := strconv.Atoi(digits); err == nil {
				return i, n
			}
		}
	}
	return len(trackers), 0
}

// FindBug returns a known bug by its name. The error names the nearest one.
func FindBug(name string) (*KnownBug, error) {
	if b, err := knownBugs.Find(name); err == nil {
		return b, nil
	}
	if strings.Contains(name, "=") {
		return nil, fmt.Errorf("unknown bug %q; --set takes NAME=VALUE", name)
	}
	var names []string
	for _, b := range KnownBugs() {
		names = append(names, b.Name)
	}
	return nil, fmt.Errorf("unknown bug %q%s", name, registry.Suggest(name, names))
}

// Plants reports whether the parameters ask for a bug, by its name or by a setting, also
// of one API server.
func (p *Params) Plants(b *KnownBug) bool {
	return slices.Contains(p.Bugs, b.Name) || slices.Contains(p.Settings, b.Planting()) ||
		slices.ContainsFunc(p.Topology.ServerNames(), func(server string) bool {
			return slices.Contains(p.Topology.SettingsOf(server), b.Planting())
		})
}

// Planted are the known bugs that the parameters ask for, by name or by setting.
func (p *Params) Planted() []*KnownBug {
	return slices.DeleteFunc(KnownBugs(), func(b *KnownBug) bool { return !p.Plants(b) })
}

func presetsOf(bugs []string) ([]*option.Preset, error) {
	var all []*option.Preset
	for _, name := range bugs {
		b, err := FindBug(name)
		if err != nil {
			return nil, err
		}
		all = append(all, b.Preset())
	}
	return all, nil
}
