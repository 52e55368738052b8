// Package recorded records what real etcd servers do: histories of concurrent clients, answers to scripts of
// watch requests, and counts of how often five bugs of the watch API show:
//
//   - etcd-io/etcd#17507: a progress request that meets an unsynced watcher is
//     deferred, and never answered if that watcher has no events. Progress
//     measures it.
//   - etcd-io/etcd#15220: a progress response overtakes events. Overtaking
//     measures it for a watcher that has history to catch up on.
//   - etcd-io/etcd#17529: a watch below the compacted revision of a stream whose
//     channel is full is neither cancelled nor sent its events. LostCancel
//     measures it.
//   - etcd-io/etcd#20221: a member that is behind the start of a watch answers
//     progress requests with its own revision. ProgressBehindStart measures it.
//   - What is left of #15220 since its fix, and not reported: progress for all
//     watches of a stream is taken for progress of a watch that was created
//     later, because its Created overtakes it. CreatedOvertakes measures it.
//
// # How the runs are kept independent
//
// For #17507 all depends on the phase of the server's syncWatchers loop, which
// comes round every 100 ms, so each run must meet it at a random phase. Runs go
// in waves of 25 at a time on one otherwise idle server, each on a stream of its
// own and started at a random moment within a second (ten loops), so that the
// processor stays idle nearly always. Waves share the loop's passes but not
// their phase. The loop does shorten its wait when a pass leaves unsynced
// watchers behind, but a pass handles 512 of them and a quiet range takes one
// pass: 25 runs cannot make it do so.
//
// The clock of a run starts when the client has received the Created response,
// about a tenth of a millisecond after the server registered the watcher.
//
// # Scripts
//
// Scripts are played to a server's watch API, and what comes back on the wire is noted. The recordings are the oracle
// for a simulated server: it must be able to answer each script in a way that a real one of the same version did.
//
// # The format of a recording
//
// A recording has a script and the outcomes that were observed. A script is a
// list of steps, all about one watch stream that is open from the start and the
// store behind it. The actions of one step are issued back to back, without
// waiting for answers to those on the stream; then nothing happens until the
// server has come to rest (nothing was received for several rounds of its
// 100 ms sync loop). Where a step has a creation and a progress request, the
// server therefore handles both before its next sync round, but for a chance of
// about one in a thousand.
//
// An outcome has, for each step, the responses received before the next one,
// and how often each version answered so. Where the original leaves something
// open (two watchers of one stream are notified in the order of a Go map),
// there are several outcomes, and a version has done each as often as "times"
// says. There, an outcome that only another version showed is luck, no
// difference between the versions.
//
// Revisions are counted as if the store had been empty, at revision 1, when the
// script began. Long values (of "size" bytes, all equal) are not spelled out.
//
// # Histories
//
// Record records what several concurrent clients of a real etcd server
// asked and were answered, as a model.History.
//
// The clients contend for a handful of keys with puts, deletes, transactions,
// gets and lists. Now and then one gives up a put that is under way and goes on
// under a new name: as the same client, it would have one operation open while it
// starts the next, and no session guarantee says what that means. Record
// looks the outcome of such a put up in etcd's own history afterwards and notes
// it as its Commit, so that the judges can be tried with and without it.
//
// Recorder, Workload and the translation of messages into package model are cmd/realetcd's, too.
package recorded
