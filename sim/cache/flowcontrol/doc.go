// Package flowcontrol (unstable) is API Priority and Fairness (KEP-1040) in front of a cache: it
// says when a client's LIST, GET or WATCH is executed. Each takes seats for as long as it is
// executed, a watch until its initial events are sent. What finds too few seats waits in a queue,
// and is refused with 429 if the queue is full or the wait too long.
//
//	Level      a priority level: its seats, its queues, and who has which (level.go)
//	queue      the requests of some flows, and the order among queues (queue.go)
//	hand       the queues of a flow: shuffle sharding (queue.go)
//	Estimator  how many seats a request takes, decided before the cache sees it
//	           (estimator.go)
//
// # Simplified
//
// There is one priority level for each resource of an API server, with as many seats as
// the option says. Upstream has several for all resources, which flow schemas choose
// from, shares that divide the seats among levels, and seats that levels lend each
// other. Here every client has the same priority and is a flow of its own. Writes do not
// pass the cache, so that they take no seats, nor linger on them for the events that
// watchers are sent. Questions whether the server is ready are exempt, as upstream's are.
//
// Queues are served in the order of virtual finish, as upstream's are. Upstream's
// virtual time advances with the clock, and each request is charged for as long as it
// took. Here virtual time is the virtual start of the last request that left its queue,
// and each request is charged for its seats (start-time fair queuing): this needs no
// clock, which runs without time do not have. A flow whose requests take longer than
// those of another one is therefore given more of the seats than upstream would.
//
// A LIST has its seats until its client has all of the answer, where objects take time on their way (World.Pace);
// upstream's handler may return a window of HTTP/2 earlier.
//
// The number of objects is the cache's own, now, and their average size an option; upstream's is a minute old at most,
// and unknown before it is first counted, as it is here before the cache has listed. The
// client of a call does not say that it has gone, so that its request is executed
// nevertheless when its turn comes; upstream takes it out of its queue.
//
// The package must never import sim/cache or another package below it.
package flowcontrol
