package read

import (
	"fmt"

	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/testbed"
)

// No cache is known to have had this one.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "page-of-newest-state",
	Summary:  "the second page of a list is served from the newest state, not from that of the first",
	Setting:  "next-page=newest",
	Scenario: scenarios.SnapshotReads, Property: reads.Pages,
	Why:        "each page is true by itself; together they are not one state",
	Further:    []*testbed.Property{reads.Exact, reads.NoCompactedReads},
	WhyFurther: "a page after the first shows the newest state in place of the one asked for, which may be compacted",
})

var _ = read.NextPages.Register("newest", "the present one, from the token's key on", newestPage)

// newestPage goes on with a list in the newest state.
func newestPage(env *sim.Env, r *read.Read) int64 {
	if r.Start() == "" {
		return r.Exact()
	}
	newest := r.Delegator().Config().Store.ResourceVersion(env)
	if newest <= r.Exact() {
		return r.Exact()
	}
	if env.Noting() {
		env.Note(otherState{r.Exact(), newest})
	}
	return newest
}

// otherState: a list goes on in another state than it began in.
type otherState struct{ began, newest int64 }

// Text implements sim.Note.
func (n otherState) Text(*sim.World) string {
	return fmt.Sprintf("goes on with a list of resourceVersion %d in the state at %d", n.began, n.newest)
}

// About implements sim.Subject.
func (n otherState) About() sim.About { return sim.About{Revision: n.newest} }
