package native

import (
	"flag"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"k8s.io/klog/v2"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/option"

	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/node"

	// All scenarios and properties, and the guests in WebAssembly.
	_ "github.com/watchbed/watchbed/command"
	_ "github.com/watchbed/watchbed/upstream/designs"
)

// design is the native program as a design of a cache, in this test alone.
const design = "native"

// started are the native guests of the world that was put together last.
var started []*Guest

func init() {
	cache.RegisterDesign(cache.Design{
		Preset: option.Preset{Name: design, Doc: "the storage of an API server as a native program", Settings: node.Promised("v0.37.2")},
		New: func(c cache.Config) sim.Node {
			g := &Guest{}
			started = append(started, g)
			return node.New(c, g, guests.Schedule{})
		},
		Reads: node.Reads, Storage: node.Shipped("v0.37.2"),
	})
}

// pairs are settings as name and value.
func pairs(settings []string) [][2]string {
	var all [][2]string
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		all = append(all, [2]string{name, value})
	}
	return all
}

// served answers what a scheduler leaves open as a plain one does: first come, first served.
type served struct{ strategy.Chooser }

// Choose implements sim.Chooser.
func (s served) Choose(w *sim.World, n int, question string) int {
	if told, _ := node.Told(question); told != "" {
		return 0
	}
	return s.Chooser.Choose(w, n, question)
}

// outcome is what came of some schedules.
type outcome struct {
	// violated is in how many each property was violated.
	violated map[string]int
	// told is what each of them told: a digest of which node was when sent what.
	told []uint64
}

func (o *outcome) add(found []explore.Finding, told uint64) {
	for _, f := range found {
		if f.Verdict == model.Violated {
			o.violated[f.Property]++
		}
	}
	o.told = append(o.told, told)
}

// same is how many schedules told the same as those of the same seeds.
func (o *outcome) same(other *outcome) int {
	n := 0
	for i, told := range o.told {
		if told == other.told[i] {
			n++
		}
	}
	return n
}

// listener makes a digest of all steps and messages of a run. What a scheduler was asked is no part of it.
type listener struct{ sim.Digest }

// Observe implements sim.Observer.
func (l *listener) Observe(_ *sim.World, e *sim.Event) {
	switch e.Kind {
	case sim.Acted:
		l.Digest = l.Digest.Word(uint64(e.Action.Node)<<8 | uint64(e.Action.Kind))
	case sim.Sent:
		l.Digest = e.Message.Payload.Digest(l.Digest.Word(uint64(e.Message.From)<<32 | uint64(e.Message.To)))
	}
}

// count runs schedules of a row with a design, from a seed on. around is what each run stands in, and c makes what
// chooses.
func (r *row) count(t *testing.T, design string, first, schedules int, choose func(strategy.Chooser) strategy.Chooser, around func(run func())) *outcome {
	t.Helper()
	sc, p, err := r.params(design)
	if err != nil {
		t.Fatal(err)
	}
	started = nil
	subjects, err := sc.Subjects(p)
	if err != nil {
		t.Fatal(err)
	}
	runner, all, heard := explore.NewRunner(subjects(), p.Clock.Steps), &outcome{violated: map[string]int{}}, &listener{}
	runner.Observe(heard)
	chooser := choose(strategy.Random().New(strategy.Profile{}))
	for i := range schedules {
		around(func() {
			chooser.Begin(uint64(first + i))
			heard.Digest = sim.NewDigest
			all.add(runner.Run(chooser).Findings, heard.Sum())
		})
	}
	return all
}

// native runs schedules of a row natively, each in a bubble of its own.
func (r *row) native(t *testing.T, first, schedules int) *outcome {
	return r.count(t, design, first, schedules, anyOrder, func(run func()) {
		synctest.Test(t, func(*testing.T) {
			run()
			for _, g := range started {
				g.Leave()
			}
		})
	})
}

// compiled runs schedules of a row in WebAssembly.
func (r *row) compiled(t *testing.T, first, schedules int, choose func(strategy.Chooser) strategy.Chooser) *outcome {
	return r.count(t, r.guest(), first, schedules, choose, func(run func()) { run() })
}

func anyOrder(c strategy.Chooser) strategy.Chooser { return c }
func inOrder(c strategy.Chooser) strategy.Chooser  { return served{c} }

func TestMain(m *testing.M) {
	flag.Parse()
	quiet := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(quiet)
	// Complaints about etcd are what the worlds are about.
	if err := quiet.Parse([]string{"-logtostderr=false", "-stderrthreshold=FATAL"}); err != nil {
		panic(err)
	}
	klog.SetOutput(io.Discard)
	os.Exit(m.Run())
}
