// Package jepsen (unstable) reads what Jepsen recorded of etcd: history.edn of jepsen-io/etcd (one
// operation a line, with or without a tag such as #jepsen.history.Op), history.txt (process,
// :invoke, :write and 3, apart by tabs), and the logs that have the same columns behind what the
// logger adds: what a test prints, jepsen.log, and those of older tests ("INFO  jepsen.util - 0
// :invoke :write 3"). Lines come in the order in which things happened, so that a line's number
// is its call or return. Other lines of a log are passed over.
//
// An operation that ends as :info, or does not end, may have happened. An operation that ends as :fail
// did not, for whatever reason. Only if a cas fails with :error :did-not-succeed, its comparison is
// judged. Nemeses are passed over. The workloads, told apart by :f and the values:
//
//   - register: reads, writes and cas of one key (logs) or several (history.edn). A log has
//     values alone. history.edn has versions, too: if there is one key only, a version is as
//     good as a revision, and is judged as one. With several keys versions are left out.
//   - set: each element that is added is a key, and a read is a list of all of them.
//   - append and wr: a transaction. Each element that is appended is a key of its list, so
//     that lost and stale elements are found, and their order within a list is not judged.
//   - watch: writes of one key, and what each process was sent, with the revisions of events.
//
// Reads count as consistent: a test with --serializable true does not say so in its history.
//
// It must never import a judge.
package jepsen
