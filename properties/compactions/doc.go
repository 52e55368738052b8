// Package compactions has the properties of the API servers that compact etcd
// (k8s.io/apiserver, pkg/storage/etcd3/compact.go). What they promise to clients is
// how long history can be read: at least an interval, as continue tokens and watches
// need it, and at most two, so that etcd does not grow without end.
//
//	log            what the API servers compacted, and how old revisions were then
//	HistoryKept    they compact nothing too soon
//	HistoryDropped they go on compacting
//	NoCompactedWatches what is compacted is not watched any more
//
// Time is that of a run with a clock. Without one an interval has no length, and
// only the order of compactions is judged.
package compactions
