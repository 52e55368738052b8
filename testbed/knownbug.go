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

// FindBug returns a known bug by its name, or by the number of an issue that is that of one bug alone. The error names the
// nearest one.
func FindBug(name string) (*KnownBug, error) {
	if b, err := knownBugs.Find(name); err == nil {
		return b, nil
	}
	if n, err := strconv.Atoi(name); err == nil {
		of := slices.DeleteFunc(KnownBugs(), func(b *KnownBug) bool { _, number := issueOf(b.Name); return number != n })
		if len(of) == 1 {
			return of[0], nil
		}
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

// Row is one thing that is known: where all conditions hold, these properties are
// violated.
type Row struct {
	// When are the conditions; none is always.
	When     []Condition
	Violates []*Property
	// Rarely: a campaign may miss the violation.
	Rarely bool
	// Because is the reason in one sentence, with the numbers of issues.
	Because string
}

// Holds reports whether all conditions do; of one API server if these have different
// options.
func (r *Row) Holds(s *Setup) bool {
	return slices.ContainsFunc(s.ofServers(), func(of *Setup) bool {
		return !slices.ContainsFunc(r.When, func(c Condition) bool { return !c.Holds(of) })
	})
}

// Conditions are the parts of the sentence: "when ...", "and ...", "unless ...".
func (r *Row) Conditions() []string {
	var parts []string
	word := "when "
	for _, c := range r.When {
		if c.negated {
			parts = append(parts, c.String())
			continue
		}
		parts = append(parts, word+c.String())
		word = "and "
	}
	return parts
}

// Condition is something that holds with some parameters and not with others, with
// a sentence: "the cache asks etcd for progress". Traits of a design, behaviours of
// etcd and circumstances of a scenario are conditions. They are Go variables, so
// that a name which does not exist does not compile.
type Condition struct {
	text  string
	holds func(*Setup) bool
	// negated: it is the text of an exception.
	negated bool
}

// NewCondition makes a condition. The text is a clause without a full stop. If the
// condition is one value of one option, the text ends with it in parentheses:
// "(progress=control-queue)".
func NewCondition(text string, holds func(*Setup) bool) Condition {
	return Condition{text: text, holds: holds}
}

// String is the sentence.
func (c Condition) String() string {
	if c.negated {
		return "unless " + c.text
	}
	return c.text
}

// Holds reports whether the condition holds.
func (c Condition) Holds(s *Setup) bool { return c.holds(s) }

// Unless holds where the condition does not: an exception in a row.
func Unless(c Condition) Condition {
	return Condition{text: c.text, holds: func(s *Setup) bool { return !c.holds(s) }, negated: !c.negated}
}

// AnyOf holds where one of the conditions does.
func AnyOf(conditions ...Condition) Condition {
	var texts []string
	for _, c := range conditions {
		texts = append(texts, c.String())
	}
	return NewCondition(strings.Join(texts, ", or "), func(s *Setup) bool {
		return slices.ContainsFunc(conditions, func(c Condition) bool { return c.holds(s) })
	})
}

// Race is a race that every release of etcd has and that the test bed masks: an
// option of etcd gets a value that no release has. Otherwise every scenario of a
// cache would be violated once in some thousand schedules, whatever it is about. A
// scenario that is about the race unmasks it (Params.Unmask).
type Race struct {
	// Option and Value are what masks the race.
	Option, Value string
	// What happens where it is not masked.
	What string
	// Scenario shows it.
	Scenario string
	// Reason is why it is masked elsewhere.
	Reason string
}

// String is the option with its value.
func (r *Race) String() string { return r.Option + "=" + r.Value }

var races = []Race{
	{
		Option: "created", Value: "in-order",
		What: "Created of a new watch can be sent before older progress", Scenario: "rewatch",
		Reason: "it takes two rare races, and then breaks what every cache with progress requests promises",
	},
}

// Races lists what is masked unless a scenario says otherwise.
func Races() []Race { return slices.Clone(races) }

// Masked are the races that are masked with these parameters: a bug or a setting
// of the same option takes the place of a mask.
func (p *Params) Masked() []Race {
	n, err := p.Nodes()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(Races(), func(r Race) bool {
		return slices.Contains(p.Unmask, r.Option) || n.Value(r.Option) != r.Value
	})
}

// masks are the settings that mask what is not unmasked.
func (p *Params) masks() []option.Setting {
	var all []option.Setting
	for _, r := range races {
		if !slices.Contains(p.Unmask, r.Option) {
			all = append(all, option.Setting{Name: r.Option, Value: r.Value})
		}
	}
	return all
}

// AsReleased are the parameters without bugs, settings and masks: what is left are
// the versions and the design.
func (p *Params) AsReleased() Params {
	released := *p
	released.Bugs, released.Settings, released.Unmask = nil, nil, nil
	released.Topology.MemberSettings, released.Topology.ServerSettings = nil, nil
	for _, r := range races {
		released.Unmask = append(released.Unmask, r.Option)
	}
	return released
}

func checkUnmask(names []string) error {
	var known []string
	for _, r := range races {
		known = append(known, r.Option)
	}
	for _, n := range names {
		if !slices.Contains(known, n) {
			return fmt.Errorf("unmask=%s: no race of this name is masked%s", n, registry.Suggest(n, known))
		}
	}
	return nil
}
