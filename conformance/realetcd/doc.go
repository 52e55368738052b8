// Package realetcd runs real etcd servers, alone or as members of a cluster: on loopback,
// on free ports, each with a data directory of its own that disappears with it.
// Call and OpenStream ask them, in the messages of the simulation and in those of the API. Nothing is judged here.
//
// # The module
//
// Module conformance holds what real etcd servers were seen doing, so that the
// simulation can be held against it, and the means to see it again.
//
// It is a Go module of its own because it needs what the rest of watchbed must never need: built etcd servers,
// processes and sockets. Every server version has a module of its own in turn, under servers/, since two versions of
// etcd do not fit in one.
//
// The recordings are plain files, readable without this module:
//
//	../internal/recordings/testdata/etcd/*.jsonl          histories of concurrent clients
//	../scenarios/testdata/progress-17507-measured.json    how often progress never came
//	../sim/etcd/testdata/watch-scripts/*.json             raw answers of the watch API
//	testdata/watch-bugs.json                              two more watch bugs, counted
//	testdata/created-overtakes-progress.json              what is left of #15220, counted
//	testdata/progress-behind-start.json                   progress of a member that is behind, counted
//
// Two have no recordings, and compare each server anew. races/ races three clients on it, also
// on a follower, and searches the simulation for a schedule that gives the same answers.
// It also sends random requests one after the other, and compares the answers.
//
// shell/ runs the watch cache itself on these servers, by package shell of the
// module above, and judges what its clients see; its README has the figures of
// measure listbench, which compares LISTs from the cache with LISTs from etcd.
//
// "make servers" builds the servers, "make test" judges the recordings (and runs
// against the servers that are built), "make record" makes them anew. Of these nothing
// ever talks to anything but loopback.
//
// cmd/realetcd is a program for servers that run elsewhere, of etcd or another store.
//
// There is no server of 3.3: its tags have no go.mod and a vendor directory for GOPATH,
// so that no module can require them. What is said of 3.3 was read in its sources.
package realetcd
