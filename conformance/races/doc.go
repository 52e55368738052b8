// Package races holds the simulated server against real ones under concurrency. A race
// is a short random run of three clients of one real server: a watch stream, a writer
// and a reader. What each sent and was sent is recorded in real-time order. The
// simulated server of the same version has to have a schedule in which its clients see
// exactly the same (Search looks for one), and one of another version
// should not, for a good share of the races.
//
// In a race on a follower the writer is a client of the leader, and the other two are clients
// of a follower of a cluster of three. Two simulated servers stand for it.
//
// # Real-time order
//
// One lock orders the moments of all clients. A client notes what it sends before it
// sends it, and an answer after it has come: what is noted earlier began earlier, or
// was over earlier, and nothing more is claimed.
//
// # Rest
//
// A race is over when its server has nothing left to send on the stream. Waiting for a
// while would claim that on a machine under load, too, where it need not be so. Hence a
// second stream is opened that has history to catch up on. When it has, twice,
// syncWatchersLoop has been over all watchers since the last request of the race, and
// a short pause lets sendLoop and the network finish.
//
// # The search
//
// Search looks in a simulation for a schedule in which clients see exactly what
// they were recorded to have seen: whether what a real server answered to concurrent
// requests is among what the simulated one can answer.
//
// A recording is a list of moments in real-time order: a client has begun to send
// something, or has been handed an answer. What a client does is therefore no choice:
// it sends as soon as all moments before have come, because a message may take as long
// as it likes anyway, and it takes every answer at once, because an answer that lies
// with the client until it is read is seen by no other node. What is left to choose is
// what the nodes between do, and when. Of that, too, some things are no choice if the
// caller says so (Recording.Prompt). The search is depth-first over these choices. It
// goes back as soon as a client is sent something that the recording has not, or the
// caller knows that it will be (Recording.Hopeless). It enters no state twice
// (sim.World.Fingerprint, with how far each client has got).
//
// The world has to be untimed: any timer may fire at any time, so that whatever a real
// clock allows is among the schedules. A world that cannot answer so on any schedule
// is refuted, but for collisions of 64-bit fingerprints. A search that has used up its
// states is unknown.
//
// # Without concurrency
//
// The simulated server is held against real ones without concurrency, too (NewComparison): one
// client sends random requests, one after the other, to a real server and to the simulated
// one of the same version. There is one right answer to each, and all of it is compared.
//
// What is drawn is the key-value and the lease API: ranges with every field, at once or in chunks, puts,
// deletions, transactions within transactions, compactions, and leases, malformed requests
// among them.
//
// A server that exits is an answer: those with etcd-io/etcd#22376 do when they read a key that was deleted and put
// again at the compacted revision.
//
// # Left out
//
// A put that keeps a value or a lease, in one transaction with a deletion up to "\x00", is
// left out: real servers do not survive it. An id of a lease that etcd chooses is random.
// No lease runs out: a sequence ends before one could. Errors are compared by their text.
package races
