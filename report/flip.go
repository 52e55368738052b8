package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
)

// flip looks for the single behaviour that decides: with another value of it the
// recorded choices, followed as far as they fit, no longer violate the property,
// and neither do other runs that fail in the same way. etcd's own behaviours come
// first, since that is where fixes are made; then the client's, then the cache's.
func flip(sc *scenarios.Scenario, p scenarios.Params, rec *explore.Recording, f explore.Failure) string {
	b, err := p.Behaviours()
	if err != nil {
		return ""
	}
	others := alike(sc, p, f, rec.Seed)
	var found []*decision
	for _, dim := range plantedFirst(p, b.Dimensions()) {
		if len(found) > 0 && found[0].strict && (found[0].planted || found[0].dimension.Of != dim.Of) {
			break
		}
		if d := decide(sc, p, rec, f, others, dim); d != nil {
			found = append(found, d)
			slices.SortStableFunc(found, func(a, b *decision) int { return a.rank(b) })
		}
	}
	if len(found) == 0 {
		return "No single behaviour, flipped, makes it go away."
	}
	s := found[0].String()
	for _, d := range found[1:] {
		if d.strict && found[0].strict && d.dimension.Of == found[0].dimension.Of && d.values[0].since.later {
			s += fmt.Sprintf(" So it is with %s.", d.names())
		}
	}
	return s
}

// isPlanted reports whether somebody asked for this bug of the cache or of the
// client library.
func isPlanted(p scenarios.Params, dim scenarios.Dimension) bool {
	bug := knownBug(dim.Of, dim.Name, dim.Value)
	return bug != nil && (slices.Contains(p.Bugs, bug.Name) || slices.Contains(p.Bugs, dim.Name+"="+dim.Value))
}

// plantedFirst puts the behaviours of planted bugs before all others: whoever
// plants a bug asks whether it decides, and not which etcd would hide it.
func plantedFirst(p scenarios.Params, dims []scenarios.Dimension) []scenarios.Dimension {
	dims = slices.Clone(dims)
	slices.SortStableFunc(dims, func(a, b scenarios.Dimension) int {
		switch x, y := isPlanted(p, a), isPlanted(p, b); {
		case x && !y:
			return -1
		case y && !x:
			return 1
		}
		return 0
	})
	return dims
}

func decide(sc *scenarios.Scenario, p scenarios.Params, rec *explore.Recording, f explore.Failure, others []*explore.Recording, dim scenarios.Dimension) *decision {
	if dim.Of == "etcd" && p.Guard.ChangesMember() {
		// A flipped behaviour is that of every member, and hides that the version
		// changed.
		return nil
	}
	d := &decision{dimension: dim, strict: true, planted: isPlanted(p, dim)}
	var weak []flipped
	for _, value := range dim.Values {
		if value == dim.Value || dim.Name == freshness && value == noFreshness || knownBug(dim.Of, dim.Name, value) != nil {
			continue
		}
		if d.planted && dim.Name == freshness && value == bypassesCache {
			// To go round a broken cache does not mend it.
			continue
		}
		v, ok := try(sc, with(p, dim.Name, value), rec, f, others)
		if !ok {
			continue
		}
		v.name, v.since = value, releases(p, dim, value)
		if v.convincing() {
			d.values = append(d.values, v)
		} else if v.plausible() {
			weak = append(weak, v)
		}
	}
	if len(d.values) == 0 {
		d.values, d.strict = weak, false
	}
	if len(d.values) == 0 || !d.planted && onlyOtherBugs(dim, d.values) {
		return nil
	}
	// What later releases have, if any has.
	if slices.ContainsFunc(d.values, func(v flipped) bool { return v.since.later }) {
		d.values = slices.DeleteFunc(d.values, func(v flipped) bool { return !v.since.later })
	}
	return d
}

// onlyOtherBugs: to have another bug in place of a behaviour that is none, or of
// a later one, is no remedy.
func onlyOtherBugs(dim scenarios.Dimension, values []flipped) bool {
	return !slices.ContainsFunc(values, func(v flipped) bool {
		return !slices.ContainsFunc(scenarios.Bugs(), func(b scenarios.Bug) bool {
			return b.Of == dim.Of && b.Dimension == dim.Name && b.Value == v.name
		})
	})
}

// The dimension of the cache that decides where reads go. A cache that never asks
// etcd how far it is, is no remedy: without progress there is no wrong progress,
// and no fresh read either. One that sends every read to etcd is none, but worth
// saying.
const (
	freshness     = "freshness"
	noFreshness   = "none"
	bypassesCache = "direct"
)

// decision is a behaviour that decides, with the values that make the violation
// go away.
type decision struct {
	dimension scenarios.Dimension
	values    []flipped
	// strict: each of the values is convincing.
	strict bool
	// planted: the value is a bug that somebody asked for.
	planted bool
}

// flipped is one such value.
type flipped struct {
	name  string
	since span
	// taken of recorded choices fit.
	taken, recorded int
	// gone is how many other runs hold with it, still how many are violated. The
	// rest no longer puts the property to the test.
	gone, still int
}

// convincing: that a flip moves the run a few steps away from the violation
// proves nothing. It decides if of enough other runs nearly all hold with it as
// well (some may have another cause) and half of the recorded choices fit, or if
// there are not enough and nearly all of them fit.
func (v *flipped) convincing() bool {
	const enough = 3
	if v.gone+v.still < enough {
		return v.still == 0 && v.fits()
	}
	return 4*v.gone >= 3*(v.gone+v.still) && 2*v.taken >= v.recorded
}

// plausible: it decides this run, and some others.
func (v *flipped) plausible() bool { return v.fits() && 3*v.gone >= v.gone+v.still }

func (v *flipped) fits() bool { return 10*v.taken >= 9*v.recorded }

func (v *flipped) share() float64 { return float64(v.gone) / float64(max(1, v.gone+v.still)) }

// try follows the recording and the other runs with a behaviour flipped.
func try(sc *scenarios.Scenario, p scenarios.Params, rec *explore.Recording, f explore.Failure, others []*explore.Recording) (v flipped, ok bool) {
	system, err := sc.New(p)
	if err != nil {
		return v, false
	}
	runner := explore.NewRunner(system, p.Steps)
	var verdict model.Verdict
	if verdict, v.taken, v.recorded = follow(runner, rec, f.Property); verdict == model.Violated {
		return v, false
	}
	for _, other := range others {
		switch verdict, _, _ := follow(runner, other, f.Property); verdict {
		case model.Holds:
			v.gone++
		case model.Violated:
			v.still++
		}
	}
	return v, true
}

// follow is what becomes of a property if a recording is followed as far as it
// fits.
func follow(runner *explore.Runner, rec *explore.Recording, property string) (verdict model.Verdict, taken, recorded int) {
	follower, err := explore.NewFollower(rec)
	if err != nil {
		return model.Violated, 0, 0
	}
	result := runner.Run(follower)
	taken, recorded = follower.Followed()
	for i := range result.Findings {
		if x := &result.Findings[i]; x.Property == property {
			return x.Verdict, taken, recorded
		}
	}
	return model.Vacuous, taken, recorded
}

// How far to look for other runs that fail in the same way.
const (
	mostAlike     = 12
	choicesAlike  = 500_000
	schedulesEach = 8_000
)

// alike finds runs that fail in the same way, as a campaign would.
func alike(sc *scenarios.Scenario, p scenarios.Params, f explore.Failure, but uint64) []*explore.Recording {
	system, err := sc.New(p)
	if err != nil {
		return nil
	}
	runner := explore.NewRunner(system, p.Steps)
	chooser := explore.Portfolio().Chooser(runner.Profile())
	var found []*explore.Recording
	choices := uint64(0)
	for seed := uint64(0); seed < schedulesEach && choices < choicesAlike && len(found) < mostAlike; seed++ {
		chooser.Begin(seed)
		result := runner.Run(chooser)
		choices += result.Stats.Choices
		if seed == but || result.Find(f) == nil {
			continue
		}
		chooser.Begin(seed)
		rec, _ := explore.Record(runner, chooser)
		found = append(found, rec)
	}
	return found
}

// rank puts the behaviour first that decides for sure, then the one that makes
// more of the other runs hold, then what a release changed, then where more of
// the recorded choices fit.
func (d *decision) rank(e *decision) int {
	a, b := d.best(), e.best()
	later := func(v *flipped) int {
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
	return cmp.Or(cmp.Compare(b.share(), a.share()), later(b)-later(a), b.taken*a.recorded-a.taken*b.recorded)
}

func (d *decision) best() *flipped {
	best := &d.values[0]
	for i := range d.values {
		if v := &d.values[i]; v.share() > best.share() {
			best = v
		}
	}
	return best
}

// worst is the value that least speaks for the decision.
func (d *decision) worst() *flipped {
	worst := &d.values[0]
	for i := range d.values {
		if v := &d.values[i]; v.share() < worst.share() || v.share() == worst.share() && v.taken < worst.taken {
			worst = v
		}
	}
	return worst
}

var owner = map[string]string{"etcd": "etcd", "client": "the client library", "cache": "the cache"}

func (d *decision) String() string {
	v := d.worst()
	if d.dimension.Name == freshness && v.name == bypassesCache {
		return fmt.Sprintf("No behaviour of etcd or of the client library decides. With %s every read goes to etcd: %s%s.",
			d.names(), v.choices(), v.others())
	}
	bug := ""
	if d.planted {
		bug = " (the bug " + knownBug(d.dimension.Of, d.dimension.Name, d.dimension.Value).Name + ")"
	}
	if !d.strict {
		return fmt.Sprintf("In this run one behaviour of %s decides: %s=%s%s. With %s %s. There is another cause as well: of %d other runs that fail in this way %d still do.",
			owner[d.dimension.Of], d.dimension.Name, d.dimension.Value, bug, d.names(), v.choices(), v.gone+v.still, v.still)
	}
	return fmt.Sprintf("One behaviour of %s decides: %s=%s%s. With %s %s%s.",
		owner[d.dimension.Of], d.dimension.Name, d.dimension.Value, bug, d.names(), v.choices(), v.others())
}

func (v *flipped) choices() string {
	fit := ""
	if v.taken < v.recorded {
		fit = fmt.Sprintf(", %d of %d of which fit,", v.taken, v.recorded)
	}
	return "the same choices" + fit + " no longer violate it"
}

func (v *flipped) others() string {
	switch {
	case v.gone+v.still == 0:
		return ""
	case v.still > 0:
		return fmt.Sprintf(", nor do %d of %d other runs that fail in this way", v.gone, v.gone+v.still)
	case v.gone == 1:
		return ", nor does the one other run that was found to fail in this way"
	}
	return fmt.Sprintf(", nor do %d other runs that fail in this way", v.gone)
}

// names lists the values and who has them.
func (d *decision) names() string {
	var names []string
	for i := range d.values {
		v := &d.values[i]
		name := d.dimension.Name + "=" + v.name
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

// with sets one dimension, whatever the parameters said of it before.
func with(p scenarios.Params, dimension, value string) scenarios.Params {
	bugs := []string{dimension + "=" + value}
	named := map[string]string{}
	for _, b := range scenarios.Bugs() {
		named[b.Name] = b.Dimension
	}
	for _, b := range p.Bugs {
		d, _, isDimension := strings.Cut(b, "=")
		if !isDimension {
			d = named[b]
		}
		if d != dimension {
			bugs = append(bugs, b)
		}
	}
	p.Bugs = bugs
	return p
}
