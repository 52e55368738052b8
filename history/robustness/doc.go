// Package robustness (unstable) reads the reports of etcd's robustness tests
// (tests/robustness/report in etcd's repository, of release 3.6 and of main): a folder with
// client-N/operations.json and client-N/watch.json, which hold JSON values one after the other. The
// tests write one when they fail, or when PERSIST_RESULTS is set. The folders server-NAME beside
// them, with each member's data, and traffic.json are passed over: what was written is found out
// from the answers.
//
// The recorded clock is monotonic and common to all clients, so its readings are call and
// return. A write or a compaction with an error may have happened, or may happen later; a
// read with an error says nothing. A value of 20 bytes and more is known by its hash
// (FNV-1a of 32 bits) in some places of a report, and by itself in others; here all have the
// hash.
//
// A report does not have the create revisions of items, nor at which revision etcd was
// compacted when a watch was canceled. Requests to defragment have no effect and are left
// out. Each recorded watch is a watcher of its own: a client of the tests may have several
// at once.
//
// Of a key that stands twice in one object the last one counts. The tests never write that.
//
// It must never import a judge.
package robustness
