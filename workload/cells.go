package workload

import "github.com/watchbed/watchbed/sim"

// The cells of client nodes. All have index 0.
var (
	// cellPlan is how far a client is in its plan, and how many attempts are left.
	cellPlan = sim.NewCell("workload: plan")
	// cellPage is the next page of a list, while there is one to request.
	cellPage = sim.NewCell("workload: next page")
	// cellOpen is the request or the stream that is open.
	cellOpen = sim.NewCell("workload: open request")
	// cellPosition is the resourceVersion from which a watch goes on.
	cellPosition = sim.NewCell("workload: resourceVersion to go on from")
	// cellRecord is what properties look at. For a client of etcd's watch protocol an
	// item is a watch: see recordOf.
	cellRecord = sim.NewCell("workload: record")
)
