package watch

import (
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/testbed"
)

// When the definition of a custom resource changed, its cache was replaced by a
// new one, and the watches of the old one were not ended.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-78029", Issue: "kubernetes/kubernetes#78029", FixedIn: "Kubernetes 1.16",
	Summary:  "watches stay open when their cache is replaced by a new one, and are sent nothing more",
	Setting:  "teardown=strands-watches",
	Scenario: scenarios.RecreatedCache, Property: informers.CatchUp,
	Why: "no event is wrong and none is out of order: an open watch is sent nothing",
})

var _ = dispatch.Teardowns.Register("strands-watches", "they stay open and are sent nothing (kubernetes#78029)",
	func(env *sim.Env, w *dispatch.Watcher) {
		env.Cover(watchStranded)
		if env.Noting() {
			env.Note(stranded{w.From()})
		}
	})

var watchStranded = sim.NewSituation("cache: watch left open by a cache that was replaced")

// stranded: a watch stays open whose cache is replaced.
type stranded struct{ client sim.NodeID }

// SetsBack implements sim.Setback.
func (n stranded) SetsBack() bool { return true }

// Text implements sim.Note.
func (n stranded) Text(w *sim.World) string {
	return "is replaced by a new cache, and leaves the watch of " + w.NodeName(n.client) + " open"
}
