package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/testbed"

	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/overlay"
)

// reproduce is how soon the bed finds what upstream's correctness suite is about: the bugs of its table, each put back
// into the code that ships by a patch. To measure a row compiles a guest.
var reproduce = &reproductions{table: table[reproduction]{
	name: "reproduce", choice: "release", about: "how soon the bugs of upstream's table of reproductions are found, each put back into the code",
	keys: bugKeys, measure: measureBug, amiss: amissInReproduce, render: renderReproduce,
}}

type reproductions struct {
	table[reproduction]
	plain  bool
	native string
}

func (t *reproductions) flags(f *flag.FlagSet) {
	t.table.flags(f)
	f.BoolVar(&t.plain, "plain", false, "run the plain Go tests of bugs that upstream's suite does not find, with the code that ships and with the bugs")
	f.StringVar(&t.native, "native", "", "measure the rows of guest/native with this bug put back")
}

func (t *reproductions) run(ctx context.Context, names []string) ([]string, error) {
	if t.plain {
		return checkPlain(ctx)
	}
	if t.native != "" {
		return nil, measureNative(ctx, t.native)
	}
	return t.table.run(ctx, names)
}

// reproduceReleases are those of Kubernetes that the bugs are put back into.
var reproduceReleases = []string{"v0.37.2", "v0.38.0-beta.0"}

// bugKeys are the bugs that are looked for, in each release.
func bugKeys() []key {
	var all []key
	for i := range bugs {
		if bugs[i].scenario != "" {
			for _, release := range reproduceReleases {
				all = append(all, key{bugs[i].name, release})
			}
		}
	}
	return all
}

const (
	// starts is how many times a bug is looked for, each time from another seed on.
	starts = 5
	// between is how far these seeds are apart.
	between = 1_000_000
	// givesUp is after how many schedules a start gives up.
	givesUp = 2_000
	// batch is how many schedules run before it is looked whether the bug has shown.
	batch = 20
	// control is how many schedules the guest without the change runs at least.
	control = 200
)

// reproduction is what was measured of a bug in a release.
type reproduction struct {
	Bug, Release string
	// Hits are the schedules until the property was violated, for each start; 0 if it was not before it gave up.
	Hits []uint64
	// Replayed: the first run that was found was carried out again from its recording, to the bit, and failed again.
	Replayed bool
	// Control is how many schedules of the guest without the change ran, ControlViolations in how many of them the
	// same property was violated.
	Control, ControlViolations uint64
}

func (r reproduction) key() key { return key{r.Bug, r.Release} }

func (r reproduction) String() string { return fmt.Sprintf("%v: %v", r.key(), r.Hits) }

func measureBug(ctx context.Context, k key) (reproduction, error) {
	b, r, ships := findBug(k.of), reproduction{Bug: k.of, Release: k.on}, "kubernetes@"+k.on
	compiled := ships + "+" + b.name
	if err := compile(ctx, compiled); err != nil {
		return r, err
	}
	sc, p, err := b.prepared(compiled)
	if err != nil {
		return r, err
	}
	tried := uint64(0)
	for i := range uint64(starts) {
		found, n, err := b.look(ctx, sc, &p, i*between, givesUp)
		if err != nil {
			return r, err
		}
		tried += n
		if found == nil {
			r.Hits = append(r.Hits, 0)
			continue
		}
		r.Hits = append(r.Hits, found.FirstSeed-i*between+1)
		if !r.Replayed {
			if err := replay(sc, &p, found); err != nil {
				return r, err
			}
			r.Replayed = true
		}
	}
	if sc, p, err = b.prepared(ships); err != nil {
		return r, err
	}
	r.Control = max(control, tried)
	result, err := run(ctx, sc, &p, campaign.Config{Seeds: r.Control})
	if err != nil {
		return r, err
	}
	for _, property := range result.Properties {
		if property.Name == b.property {
			r.ControlViolations = property.Violations
		}
	}
	return r, nil
}

func findBug(name string) *bug {
	return &bugs[slices.IndexFunc(bugs, func(b bug) bool { return b.name == name })]
}

// compile has the guest of a name compiled if it is not there.
func compile(ctx context.Context, name string) error {
	directory, err := guests.Directory()
	if err != nil {
		return err
	}
	if _, err := os.Stat(guests.Path(directory, name)); err == nil {
		return nil
	}
	c := exec.CommandContext(ctx, "go", "run", "./build", name)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c.Run()
}

// prepared is the scenario of the bug with its parameters and a guest.
func (b *bug) prepared(guest string) (*testbed.Scenario, testbed.Params, error) {
	sc, err := testbed.FindScenario(b.scenario)
	if err != nil {
		return nil, testbed.Params{}, err
	}
	p := sc.Params
	set := append([]string{"etcd=" + newEtcd, "cache=" + guest + b.how.String()}, b.set...)
	if b.gated && strings.HasPrefix(guest, "kubernetes@v0.38.0-beta.0") {
		set = append(set, "write-state=cache")
	}
	for _, s := range set {
		name, value, _ := strings.Cut(s, "=")
		if err := p.Set(name, value); err != nil {
			return nil, p, err
		}
	}
	if !slices.ContainsFunc(sc.Claims, func(c *testbed.Property) bool { return c.Name == b.property }) {
		return nil, p, fmt.Errorf("the scenario %s does not claim %s", sc.Name, b.property)
	}
	return sc, p, nil
}

// look runs schedules from a seed on until the property is violated, or until so many have run. n is how many did.
func (b *bug) look(ctx context.Context, sc *testbed.Scenario, p *testbed.Params, first uint64, limit int) (found *campaign.FailureTally, n uint64, err error) {
	for at := first; at < first+uint64(limit) && ctx.Err() == nil; at += batch {
		result, err := run(ctx, sc, p, campaign.Config{FirstSeed: at, Seeds: batch})
		if err != nil {
			return nil, 0, err
		}
		n += batch
		for i := range result.Failures {
			if result.Failures[i].Failure.Property == b.property {
				return &result.Failures[i], n, nil
			}
		}
	}
	return nil, n, nil
}

// replay records the first run of a failure, and carries it out again in a system of its own.
func replay(sc *testbed.Scenario, p *testbed.Params, found *campaign.FailureTally) error {
	finder := diagnosis.Finder{Scenario: sc, Params: *p, Strategy: strategy.Default()}
	rec, err := finder.Unshrunk(*found)
	if err != nil {
		return err
	}
	system, err := sc.New(*p)
	if err != nil {
		return err
	}
	result, err := recording.Replay(explore.NewRunner(system, p.Clock.Steps), rec)
	if err != nil {
		return fmt.Errorf("the run of seed %d is not the same again: %w", found.FirstSeed, err)
	}
	if result.Find(found.Failure) == nil {
		return fmt.Errorf("the run of seed %d does not fail again with %s", found.FirstSeed, found.Failure)
	}
	return nil
}

// amissInReproduce are rows that show nothing, and patches of no row.
func amissInReproduce(rows []reproduction) []string {
	var all []string
	for i := range rows {
		if rows[i].ControlViolations > 0 {
			all = append(all, rows[i].key().String()+": the property is violated without the patch, too")
		}
	}
	for _, name := range overlay.Names() {
		if !slices.ContainsFunc(bugs, func(b bug) bool { return b.name == name }) {
			all = append(all, fmt.Sprintf("the patch %s is in no row", name))
		}
	}
	return all
}

const reproduceHead = `# Upstream's reproductions, here

Upstream's correctness suite (kubernetes/kubernetes, test/integration/apiserver/storage) has a table of bugs that were. Its script
puts each back with a patch and runs the suite, real time on a real etcd, 10,000 operations a run; its README says whether that failed. Below
the same bugs are put back into the guest by patches of ours (../overlay/undone), and looked for with scenarios of the catalogue. A row is written
by

    cd upstream
    go run ./measure reproduce -release RELEASE NAME

Hits are the schedules until the property is violated, in the order of seeds from 0, 1,000,000, ..., 4,000,000 on; one that gives up after %s is
"-". Without the patch the guest ran as many schedules of the same scenario, and %d at least; where it violates the property, too, the row shows
nothing. The first run of each row was recorded and carried out again: the same to the bit, and it fails again.

| bug | in words | upstream's suite | scenario | violated | release | hits | median | without the patch | replayed |
|---|---|---|---|---|---|---|---|---|---|
`

// suiteHead is what stands above the lessons.
const suiteHead = `
## What upstream's suite would have to do

For each bug of its table that it does not find. The plain Go tests are in ../yardstick/unreached: upstream's packages and the standard library
alone, an etcd in the same process, a second each. ` + "`go run ./measure reproduce -plain`" + ` runs each with the code that ships, with which it passes, and with the bug put back, with which it fails.
`

func renderReproduce(rows []reproduction) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, reproduceHead, thousands(givesUp), control)
	for _, k := range bugKeys() {
		if err := findBug(k.of).line(&b, k, find(rows, k)); err != nil {
			return "", err
		}
	}
	b.WriteString("\n## What is not found\n\n| bug | upstream's suite | what is lacking here, or where it was looked for |\n|---|---|---|\n")
	for i := range bugs {
		if of := &bugs[i]; of.scenario == "" {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", of.name, of.suite, of.why)
		}
	}
	b.WriteString(suiteHead)
	for _, l := range lessons {
		fmt.Fprintf(&b, "\n**%s.** %s", l.bug, l.text)
		if l.test != "" {
			fmt.Fprintf(&b, " Plain test: `%s`.", l.test)
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

func (b *bug) line(text *strings.Builder, k key, r *reproduction) error {
	p, err := overlay.Find(b.name)
	if err != nil {
		return err
	}
	_, words, _ := strings.Cut(strings.Join(strings.Fields(p.About), " "), ": ")
	scenario := "`" + b.scenario + "`"
	for _, s := range b.set {
		scenario += " `--set " + s + "`"
	}
	if how := b.how.String(); how != "" {
		scenario += " with `" + how + "`"
	}
	fmt.Fprintf(text, "| %s | %s | %s | %s | %s | %s |", b.name, words, b.suite, scenario, b.property, k.on)
	if r == nil {
		text.WriteString(" not measured yet | | | |\n")
		return nil
	}
	replayed := "no"
	if r.Replayed {
		replayed = "yes"
	}
	var hits []string
	for _, n := range r.Hits {
		hits = append(hits, shown(n))
	}
	fmt.Fprintf(text, " %s | %s | %d of %s | %s |\n", strings.Join(hits, ", "), shown(median(r.Hits)), r.ControlViolations, thousands(r.Control), replayed)
	return nil
}

// median is that of hits; a start that gave up is later than all others.
func median(hits []uint64) uint64 {
	sorted := slices.SortedFunc(slices.Values(hits), func(a, b uint64) int { return cmp.Compare(a-1, b-1) })
	return sorted[len(sorted)/2]
}

func shown(hits uint64) string {
	if hits == 0 {
		return "-"
	}
	return thousands(hits)
}

func thousands(n uint64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
