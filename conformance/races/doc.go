// Package races holds the simulated server against real ones under concurrency. A race
// is a short random run of three clients of one real server: a watch stream, a writer
// and a reader. What each sent and was sent is recorded in real-time order. The
// simulated server of the same version has to have a schedule in which its clients see
// exactly the same (package conformance/reach searches for one), and one of another version
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
package races
