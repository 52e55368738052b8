package scenarios

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// The scenarios of cost differ in what is written while clients list, because
// that is what a consistent LIST waits for: nothing if nothing is written, the
// events themselves if the resource is, and a progress notification if others
// are.
func costScenario(about, name, summary, doc, changed string, claims ...*testbed.Property) *testbed.Scenario {
	p := testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1
		readers=4 reads=10 read=consistent await-ready=true items=50 keys=50 think=500ms
		mode=timed network=1ms scheduling=500us horizon=1m steps=1000000`).But(changed)
	return testbed.RegisterScenario(&testbed.Scenario{
		Name: name, Summary: summary, Params: p,
		Doc: doc + `
Sixteen consistent LISTs a second, for some seconds. What they waited for, what went to etcd and what came
back is measured. Delays are drawn by the strategy: with --strategy random they are uniform, the others look for extremes.`,
		About:  testbed.Reaches{about: 50},
		Claims: append([]*testbed.Property{reads.Linearizable}, claims...),
		Known:  known.StaleReads(reads.Linearizable),
	})
}

var CostQuiet = func() *testbed.Scenario {
	sc := costScenario("cache: read served without waiting", "cost-quiet", "what consistent LISTs cost while nearly nothing is written",
		`A cache that has every event is as new as etcd: apart from one write, no LIST has to wait.`,
		`writers=1 writes=1`)
	// A stale cache is seldom caught: there is one write that it can lack.
	sc.Known = known.Rarely(sc.Known)
	return sc
}()

var CostElsewhere = costScenario("cache: read served after waiting", "cost-elsewhere", "what consistent LISTs cost while other resources are written",
	`A hundred writes a second to another prefix move etcd's revision on, and no event tells the cache: every LIST waits for a
progress notification.`,
	`noise=1 noise-writes=250 noise-for=2500ms`)

var CostPrefix = costScenario("cache: read served after waiting", "cost-prefix", "what consistent LISTs cost while the resource itself is written",
	`Thirty-two writes a second to the listed prefix: the event that a LIST waits for is on its way already.`,
	`writers=8 writes=10`)

var CostSelected = costScenario("cache: list by a field index", "cost-selected", "what consistent LISTs of one node's objects cost, by a field with an index",
	`A thousand objects on twenty nodes, and each client lists those of one node, as a kubelet does: what the cache looks at, and
what etcd sends, for each object that is returned. --set read=filtered selects by a field without an index.`,
	`read=selected items=1000 keys=1000 groups=20 reads=5 writers=2 writes=5`)

var CostBusy = costScenario("cache: read served after waiting", "cost-busy", "what consistent LISTs cost while the resource and others are written",
	`Both: events do not bring the cache up to the writes elsewhere, and etcd's progress ticker leaves out a watch that was
sent an event since the last tick.`,
	`writers=8 writes=10 noise=1 noise-writes=250 noise-for=2500ms`)

// CostPages differs from the others in what is asked: what a page costs after the first
// depends on who has the state that the list began with, and not on what is written.
var CostPages = costScenario("cache: list with a limit answered in part", "cost-pages", "what LISTs in pages cost while the resource and others are written, with snapshots (KEP-4988) and without",
	`Each list comes in five pages of fourteen objects, and each page is one of the sixteen LISTs a second. The first page is of the
newest state, as any consistent LIST. The others are of the same state, which has changed meanwhile: etcd has it, and so has a
cache that keeps snapshots.`,
	`read=pages page-limit=14 items=70 keys=70 writers=8 writes=10 noise=1 noise-writes=250 noise-for=2500ms`, caches.ServedAsPromised)
