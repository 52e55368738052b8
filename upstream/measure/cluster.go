package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/strategy"

	"github.com/watchbed/watchbed/upstream/clusterbed"
	"github.com/watchbed/watchbed/upstream/stories"
)

// clusterBugs is how soon bugs of etcd come out of the released servers that have them, as a cluster, and that they do
// not out of the release that mended them. To measure a row compiles guests that are not there.
var clusterBugs = &table[clusterRow]{
	name: "cluster", about: "how soon bugs of etcd come out of released servers as a cluster", choice: "release",
	keys: clusterKeys, measure: measureClusterBug, amiss: amissInCluster, render: renderCluster,
}

// clusterRow is what was measured of a bug in a release.
type clusterRow struct {
	Bug, Release string
	// Each is how many schedules ran from each of the starts on.
	Each uint64
	// Violated is in how many of them the property was violated, for each start, Hits how many there were until it was
	// for the first time, 0 if it never was.
	Violated, Hits []uint64
	// Seconds are those of the processor, for all of them.
	Seconds float64
	// Replayed: the first run that was found was carried out again from its recording, to the bit.
	Replayed bool
	// Controls are those with as many schedules.
	Controls []controlRun
	// On is the day on which the row was measured last, Go what with.
	On, Go string
}

// controlRun is a control, and in how many schedules it violated the property.
type controlRun struct {
	Name                string
	Schedules, Violated uint64
}

func (r clusterRow) key() key { return key{r.Bug, r.Release} }

func (r clusterRow) String() string {
	return fmt.Sprintf("%s: %d of %d schedules, first %v, controls %v", r.key(), r.violated(), r.schedules(), r.Hits, r.Controls)
}

func (r *clusterRow) schedules() uint64 { return r.Each * uint64(len(r.Hits)) }

func (r *clusterRow) violated() (n uint64) {
	for _, v := range r.Violated {
		n += v
	}
	return n
}

func clusterKeys() []key {
	var all []key
	for i := range etcdBugs {
		for _, release := range etcdBugs[i].releases {
			all = append(all, key{etcdBugs[i].name, release})
		}
	}
	return all
}

func measureClusterBug(ctx context.Context, k key) (clusterRow, error) {
	b := findEtcdBug(k.of)
	r := clusterRow{Bug: k.of, Release: k.on, Each: b.each, On: time.Now().UTC().Format(time.DateOnly), Go: runtime.Version()}
	shown := b.shown(k.on)
	for i := range uint64(starts) {
		of, err := shown.run(ctx, b, i*between, b.each)
		if err != nil {
			return r, err
		}
		r.Violated, r.Hits, r.Seconds = append(r.Violated, of.violated), append(r.Hits, of.hit()), r.Seconds+of.seconds
		if of.first != nil && !r.Replayed {
			if err := of.replay(ctx); err != nil {
				return r, err
			}
			r.Replayed = true
		}
	}
	r.Seconds = math.Round(r.Seconds)
	for _, control := range b.controls(k.on) {
		c := controlRun{Name: control.name}
		for i := range uint64(starts) {
			of, err := control.run(ctx, b, i*between, b.each)
			if err != nil {
				return r, err
			}
			c.Schedules, c.Violated = c.Schedules+b.each, c.Violated+of.violated
		}
		r.Controls = append(r.Controls, c)
	}
	return r, nil
}

func findEtcdBug(name string) *etcdBug {
	return &etcdBugs[slices.IndexFunc(etcdBugs, func(b etcdBug) bool { return b.name == name })]
}

// clusterWorld is a release in a world. name says what it is among the controls.
type clusterWorld struct {
	name, release, config string
	// subjects makes subjects, nil until the first run: to load a guest takes seconds and memory.
	subjects func() explore.Subject
}

// shown is where a release shows the bug.
func (b *etcdBug) shown(release string) *clusterWorld {
	return &clusterWorld{name: release, release: release, config: b.config}
}

// controls are where it must not show: in the release that mended it, and in the release that has it where something is
// left out.
func (b *etcdBug) controls(release string) []*clusterWorld {
	var all []*clusterWorld
	if b.mended != "" {
		all = append(all, &clusterWorld{name: b.mended, release: b.mended, config: b.config})
	}
	if b.without != "" {
		all = append(all, &clusterWorld{name: release + " without " + b.without, release: release, config: b.left})
	}
	return all
}

// load has the guest compiled if it is not there, and loads it.
func (w *clusterWorld) load(ctx context.Context) error {
	if w.subjects != nil {
		return nil
	}
	guest := "cluster@v" + w.release
	if err := compile(ctx, guest); err != nil {
		return err
	}
	c, err := clusterbed.Parse([]byte(w.config), clusterbed.Default(guest))
	if err != nil {
		return err
	}
	w.subjects, err = c.Subjects()
	return err
}

// clusterRuns is what came of schedules from a seed on.
type clusterRuns struct {
	subjects func() explore.Subject
	from     uint64
	violated uint64
	seconds  float64
	// first is the failure of the first run that violates the property, nil if none does.
	first *campaign.FailureTally
}

// hit is how many schedules there were until the first that violates the property.
func (r *clusterRuns) hit() uint64 {
	if r.first == nil {
		return 0
	}
	return r.first.FirstSeed - r.from + 1
}

// run runs schedules, with the strategy that knows nothing of the bug.
func (w *clusterWorld) run(ctx context.Context, b *etcdBug, from, n uint64) (*clusterRuns, error) {
	if err := w.load(ctx); err != nil {
		return nil, err
	}
	r := &clusterRuns{subjects: w.subjects, from: from}
	result, err := campaign.Run(ctx, r.subjects, campaign.Config{
		Strategy: strategy.Random(), FirstSeed: from, Seeds: n, Steps: clusterbed.Steps, Workers: workers,
	})
	if err != nil {
		return nil, err
	}
	for _, p := range result.Properties {
		if p.Name == b.property {
			r.violated = p.Violations
		}
	}
	for i := range result.Failures {
		if f := &result.Failures[i]; f.Failure.Property == b.property && r.first == nil {
			r.first = f
		}
	}
	r.seconds = result.CPU.Seconds()
	return r, nil
}

// workers is how many runs there are at the same time: each has machines of its own.
const workers = 1

// replay records the first run of the failure, and carries it out again.
func (r *clusterRuns) replay(ctx context.Context) error {
	run, err := stories.Find(ctx, r.subjects, strategy.Random(), *r.first, 1)
	if err != nil {
		return err
	}
	recorded, err := clusterbed.Recorded(run.Recording)
	if err != nil {
		return err
	}
	_, err = stories.Replay(recorded, run.Recording)
	return err
}

// amissInCluster are rows that show nothing.
func amissInCluster(rows []clusterRow) []string {
	var all []string
	for i := range rows {
		r := &rows[i]
		if r.violated() == 0 {
			all = append(all, fmt.Sprintf("%v: it does not show", r.key()))
		}
		for _, c := range r.Controls {
			if c.Violated > 0 {
				all = append(all, fmt.Sprintf("%v: the property is violated in %s, too", r.key(), c.Name))
			}
		}
	}
	return all
}

const clusterHead = `# Bugs of etcd, out of released servers

Each row is a bug that a released etcd has. The servers are unmodified, and run as a cluster of guests: see ../clusterbed. Choices are random and know
nothing of the bug; a row says where its world is made for it. A row is written by

    cd upstream
    go run ./measure cluster NAME

From each of the seeds 0, 1,000,000, ..., 4,000,000 on ran as many schedules as it says; "to the first" is how many there were until the property was violated,
"-" if it was not. The share is that of schedules that violate it, with the exact interval of 95 %. The controls ran the same seeds. The first run
of each row was recorded and carried out again, the same to the bit.

| bug | what goes wrong | release | violated | schedules | share | to the first | median | controls | processor | last reproduced |
|---|---|---|---|---|---|---|---|---|---|---|
`

func renderCluster(rows []clusterRow) (string, error) {
	var b strings.Builder
	b.WriteString(clusterHead)
	for _, k := range clusterKeys() {
		findEtcdBug(k.of).line(&b, k.on, find(rows, k))
	}
	b.WriteString("\n## Worlds\n\nEach is what the default configuration has otherwise (simrun cluster --print). Run in the folder upstream, with the release and `go run ./simrun cluster cluster@vRELEASE --config '...'`:\n")
	for i := range etcdBugs {
		of := &etcdBugs[i]
		fmt.Fprintf(&b, "\n**%s.** %s\n\n    %s\n", of.name, of.about, of.config)
	}
	b.WriteString("\n## What is not shown\n\n| bug | what was tried, or what is lacking |\n|---|---|\n")
	for _, r := range resisting {
		fmt.Fprintf(&b, "| %s | %s |\n", r.name, r.why)
	}
	return b.String(), nil
}

func (b *etcdBug) line(text *strings.Builder, release string, r *clusterRow) {
	fmt.Fprintf(text, "| %s | %s | %s | %s |", b.name, b.words, release, b.property)
	if r == nil {
		text.WriteString(" not measured yet | | | | | | |\n")
		return
	}
	var hits, controls []string
	for _, n := range r.Hits {
		hits = append(hits, shown(n))
	}
	for _, c := range r.Controls {
		controls = append(controls, fmt.Sprintf("%s: %d of %s", c.Name, c.Violated, thousands(c.Schedules)))
	}
	low, high := exactInterval(r.violated(), r.schedules())
	fmt.Fprintf(text, " %d of %s | %s (%s to %s) | %s | %s | %s | %.0f s | %s, %s |\n", r.violated(), thousands(r.schedules()),
		percent(float64(r.violated())/float64(r.schedules())), percent(low), percent(high), strings.Join(hits, ", "), shown(median(r.Hits)),
		strings.Join(controls, "; "), r.Seconds, r.On, r.Go)
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// exactInterval is that of Clopper and Pearson for a share of which k of n were seen, with 95 %.
func exactInterval(k, n uint64) (low, high float64) {
	const side = 0.025
	// solve is where a tail, which rises or falls with the share, is as likely as one side.
	solve := func(tail func(share float64) float64) float64 {
		below, above := 0.0, 1.0
		for range 60 {
			if middle := (below + above) / 2; tail(middle) < side {
				below = middle
			} else {
				above = middle
			}
		}
		return below
	}
	high = 1
	if k > 0 {
		low = solve(func(share float64) float64 { return 1 - atMost(k-1, n, share) })
	}
	if k < n {
		high = 1 - solve(func(rest float64) float64 { return atMost(k, n, 1-rest) })
	}
	return low, high
}

// atMost is how likely at most k of n are, each of them as likely as share.
func atMost(k, n uint64, share float64) float64 {
	sum := 0.0
	all, _ := math.Lgamma(float64(n + 1))
	for i := uint64(0); i <= k; i++ {
		these, _ := math.Lgamma(float64(i + 1))
		others, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(all - these - others + float64(i)*math.Log(share) + float64(n-i)*math.Log1p(-share))
	}
	return sum
}
