// Package audit (unstable) reads Kubernetes audit logs: an Event of audit.k8s.io/v1 a line, as an
// API server writes them, behind what grep or a collector of logs put in front of them; EventLists,
// as a webhook is sent them; and objects with events in them, as they are or as text (CloudWatch's
// "@message"). Lines and objects without an event are passed over.
//
// The stage ResponseComplete has it all: requestReceivedTimestamp is the call and
// stageTimestamp the return. They are readings of the clocks of API servers, in microseconds;
// where several servers write one log, their clocks must agree. A request that took effect
// did so within them. Other stages are passed over.
//
// What can be judged depends on the level of an event:
//
//   - Metadata has no objects: of writes neither the revision nor what was written, of reads
//     no answer. Only that a named object was not found is known.
//   - Request has what was sent, and not what was answered: no more can be judged than of
//     Metadata.
//   - RequestResponse has the answer: the resourceVersion of an object that was written or
//     read, and of a list, and those of its items.
//
// An object is known by its resourceVersion alone: an object looks different in each API
// version, and in part in a log that leaves managed fields out. A page behind the first
// is a read at the revision of its token, of what is behind the last object of the page that
// issued the token. Watches are not judged: a log has none of their events. A delete that is
// answered with the object may only have marked it, and counts as not recorded; so do writes
// of collections.
//
// A list with a selector is judged by its revision, by each object that it shows, and by each
// that it lacks although the labels, the name and the namespace that it had last in the log
// are selected: another writer must have changed that one meanwhile. It is in the history as
// reads of single keys. By other fields nothing is known to be missing: the log does not say
// where an object has them.
//
// The history is partial: controllers, other API servers and etcd's other clients write, too.
// All resources must come from one etcd: with --etcd-servers-overrides keep the events of one
// etcd only. Each request is a client of its own, as a user may do several things at once.
//
// Of a key that stands twice in one object the last one counts, as for an API server: a log has what
// clients sent, and they may send that.
//
// It must never import a judge.
package audit
