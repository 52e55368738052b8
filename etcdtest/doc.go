// Package etcdtest runs a Go test on the simulated etcd: a client is an unmodified clientv3 on a connection in memory.
//
//	New    one etcd of any release and a client of it, for a test that only wants a server: no port, no process
//	Run    the test in many schedules, in virtual time: what breaks and how long a message takes is drawn by a seed
//	Serve  one etcd at a port, for programs; cmd/simetcd is a command with it
//	Check  the same for package rapid, which shrinks what the test does, too
//
// What etcd itself promises is judged without a word from the test: requests are linearizable, watches are ordered,
// unique, atomic, reliable, resumable and bookmarkable, as etcd sends them and as clientv3 delivers them, over streams
// that break. What a cache in front of etcd answers is judged if the test
// reads it by T.List or T.Get, and watches it by T.Watch. A failure is told in messages between the clients and etcd.
//
// Worked out are a cache with four mistakes, and what a lease protects: examples/watchcache and examples/leader.
//
// # What a failure says
//
// The promise that is broken and the messages that led there, with as few faults as the failure needs; in how many
// schedules; and what decides, by leaving out each fault, and by another etcd. The last line runs that schedule alone:
// ETCDTEST_SEED=12 is a seed, 12:3,17 is one with two of its faults, 12: one with none, and 12.1 draws all else anew.
// "Drawn anew" counts such draws with the same faults, "without" those with one fault less.
//
// The seed decides each step of etcd and of the network. Which of several goroutines that can run runs first is up to
// the scheduler of Go, so a seed need not fail each time: a failure says in how many of 20 repetitions it did. `simrun test`
// of the module upstream runs the same test with a scheduler that the seed decides, too.
//
// What the failure names as a bug of etcd, each release may have. A test goes on without it by Config.Set, as in
// "created=in-order": with two watches of a client, progress may count for one whose history has not come.
//
// # Which promise a cache makes
//
// A cache that waits for etcd's revision before it answers is Consistent, as etcd itself; the finding about such a
// read is called linearizable-data. A cache that answers from its present contents is Any: its answer was etcd's at
// some revision (sequential), and at the revision of its header if it has one. NotOlderThan and Exact are those of
// Kubernetes' resourceVersion. Items have the revisions that etcd gave them.
//
// # What a test must do
//
// A goroutine that a test starts ends when T.Context does, or the test fails. It must not wait for anything outside of
// its bubble of package testing/synctest: a network, a channel of a package variable, a mutex that another goroutine
// holds while it waits for etcd. A schedule that takes a minute by a real clock ends the test. What it starts may
// outlast f. Schedules run one after another, also those of parallel tests.
//
// Not served are authentication and changes of members; a snapshot cannot be restored. A schedule has one etcd of one
// member, and a follower if the test wants one: a write there is answered when the follower has carried it out.
package etcdtest
