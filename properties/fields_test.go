package properties_test

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// field is one field of a message that a client can be sent.
type field struct {
	// path is the message type and the field, through nested types: "ListResponse.Items.Value".
	path string
	// judgedBy are the properties each of which notices a wrong value, in a scenario that claims it.
	judgedBy []*testbed.Property
	// notJudged is the reason why no property looks at the field, empty if there is something in judgedBy.
	notJudged string
}

// by are the rows of fields below a prefix that the same properties judge.
func by(properties []*testbed.Property, prefix string, names ...string) []field {
	var rows []field
	for _, name := range names {
		rows = append(rows, field{path: prefix + "." + name, judgedBy: properties})
	}
	return rows
}

// notBy are the rows of fields below a prefix that nothing judges, for one reason.
func notBy(reason, prefix string, names ...string) []field {
	var rows []field
	for _, name := range names {
		rows = append(rows, field{path: prefix + "." + name, notJudged: reason})
	}
	return rows
}

// of makes a list of properties.
func of(properties ...*testbed.Property) []*testbed.Property { return properties }

// keyValue are the fields of a wire.KeyValue, without the lease.
var keyValue = []string{"Key", "Value", "CreateRevision", "ModRevision", "Version"}

// What is not judged, by the reason.
const (
	forPeople = "it is text for people: clients decide by the code"
	inProcess = "it is between two parts of one API server, and never sent to a client of Kubernetes"
)

// table lists every field of every message that a client can be sent, in the order
// of the files of package wire.
func table() []field {
	return slices.Concat(ofEtcd(), ofLists(), ofEtcdWatches(), ofWatches(), ofWrites(), ofRefusals(), ofProcesses())
}

// ofEtcd are the answers of etcd. Caches, and clients that write, get them.
func ofEtcd() []field {
	written, previous := of(reads.Linearizable), of(etcdapi.Answers)
	listed := of(caches.MatchEtcd, reads.Linearizable)
	return slices.Concat(
		by(listed, "RangeResponse", "Revision"),
		by(listed, "RangeResponse.Kvs", "Key", "Value", "ModRevision"),
		by(written, "RangeResponse.Kvs", "CreateRevision", "Version"),
		by(listed, "RangeResponse", "More"),
		by(of(etcdapi.Answers), "RangeResponse", "Count"),
		by(of(caches.DetectorAccuracy), "RangeResponse", "Hash"),
		notBy("no client asks for a hash within a transaction", "TxnResponse.Responses.Range", "Hash"),
		by(of(etcdapi.Answers), "RangeStreamResponse", "Revision", "More", "Count"),
		by(of(etcdapi.Answers), "RangeStreamResponse.Kvs", append([]string{"Lease"}, keyValue...)...),
		by(written, "PutResponse", "Revision"),
		by(written, "DeleteRangeResponse", "Revision", "Deleted"),
		by(of(etcdapi.Answers), "CompactionResponse", "Revision"),
		by(previous, "PutResponse.PrevKv", keyValue...),
		by(previous, "DeleteRangeResponse.PrevKvs", keyValue...),
		by(previous, "TxnResponse.Responses.Put.PrevKv", keyValue...),
		by(previous, "TxnResponse.Responses.DeleteRange.PrevKvs", keyValue...),
		by(written, "TxnResponse", "Revision", "Succeeded"),
		notBy("inside a transaction it is the transaction's own", "TxnResponse.Responses.Range", "Revision"),
		by(written, "TxnResponse.Responses.Range.Kvs", keyValue...),
		by(written, "TxnResponse.Responses.Range", "More", "Count"),
		notBy("inside a transaction it is the transaction's own", "TxnResponse.Responses.Put", "Revision"),
		notBy("inside a transaction it is the transaction's own", "TxnResponse.Responses.DeleteRange", "Revision"),
		by(of(reads.Linearizable, etcdapi.Answers), "TxnResponse.Responses.DeleteRange", "Deleted"),
		by(of(etcdapi.Answers), "TxnResponse.Responses.Txn", "Succeeded"),
		by(of(etcdapi.Answers), "RangeResponse.Kvs", "Lease"),
		by(of(etcdapi.Answers), "PutResponse.PrevKv", "Lease"),
		by(of(etcdapi.Answers), "DeleteRangeResponse.PrevKvs", "Lease"),
		by(of(etcdapi.Answers), "TxnResponse.Responses.Put.PrevKv", "Lease"),
		by(of(etcdapi.Answers), "TxnResponse.Responses.DeleteRange.PrevKvs", "Lease"),
		by(of(etcdapi.Answers), "TxnResponse.Responses.Range.Kvs", "Lease"),
		by(of(etcdapi.Answers), "LeaseGrantResponse", "Revision", "ID", "TTL"),
		by(of(etcdapi.Answers), "LeaseRevokeResponse", "Revision"),
		by(of(etcdapi.Answers), "LeaseKeepAliveResponse", "Revision", "ID", "TTL"),
		by(of(etcdapi.Answers), "LeaseTimeToLiveResponse", "Revision", "ID", "GrantedTTL", "Keys"),
		notBy("no clock of an untimed run says how much time is left", "LeaseTimeToLiveResponse", "TTL"),
		notBy(within, "TxnResponse.Responses.Txn", "Revision"),
		ofHeaders(),
	)
}

const within = "the header of an answer within an answer is empty"

// ofHeaders is what the headers of etcd's answers say beside the revision.
func ofHeaders() (rows []field) {
	names := []string{"ClusterID", "MemberID", "RaftTerm"}
	for _, answer := range []string{
		"RangeResponse", "PutResponse", "DeleteRangeResponse", "CompactionResponse", "TxnResponse",
		"LeaseGrantResponse", "LeaseRevokeResponse", "LeaseKeepAliveResponse", "LeaseTimeToLiveResponse",
	} {
		rows = append(rows, by(of(etcdapi.Headers), answer+".Headed.Header", names...)...)
	}
	for _, answer := range []string{"Range", "Put", "DeleteRange", "Txn"} {
		rows = append(rows, notBy(within, "TxnResponse.Responses."+answer+".Headed.Header", names...)...)
	}
	return append(rows, slices.Concat(
		by(of(etcdapi.Headers), "WatchResponse.Headed.Header", names[:2]...),
		notBy("responses wait in two queues, and one with an earlier term may come after one with a later term", "WatchResponse.Headed.Header", names[2]),
	)...)
}

// noLease is why no property looks at the lease of an object.
const noLease = "Kubernetes shows clients no lease"

// ofLists are the answers of a cache to LIST and GET.
func ofLists() []field {
	listed := of(reads.Linearizable)
	return slices.Concat(
		by(listed, "ListResponse", "ResourceVersion"),
		by(listed, "ListResponse.Items", keyValue...),
		by(of(reads.Pages), "ListResponse", "Continue"),
		by(of(reads.Linearizable), "ListResponse", "RemainingItemCount"),
		by(of(caches.ServedAsPromised), "ListResponse", "Origin"),
		notBy("a client that asked for a shard, and is told of none or of another, leaves out what is not of its own", "ListResponse.Shard", "By", "From", "To"),
		by(listed, "GetResponse.Item", keyValue...),
		notBy(noLease, "GetResponse.Item", "Lease"),
		by(of(reads.NotFound), "GetResponse", "ResourceVersion"),
		notBy(noLease, "ListResponse.Items", "Lease"),
		by(of(caches.ServedAsPromised), "GetResponse", "Origin"),
	)
}

// ofEtcdWatches are the responses on a stream of etcd's own watch API.
func ofEtcdWatches() []field {
	sent := of(watches.Reliable)
	return slices.Concat(
		by(of(watches.Bookmarkable), "WatchResponse", "Revision"),
		by(of(watches.Reliable, watches.Bookmarkable), "WatchResponse", "WatchID"),
		by(of(etcdapi.WatchAnswers), "WatchResponse", "Created", "Canceled", "CompactRevision", "CancelReason"),
		by(of(etcdapi.Fragments), "WatchResponse", "Fragment"),
		by(of(watches.Reliable, watches.Filter), "WatchResponse.Events", "Type"),
		by(sent, "WatchResponse.Events.Kv", keyValue...),
		by(of(watches.Reliable), "WatchResponse.Events.Kv", "Lease"),
		by(of(watches.PrevKV), "WatchResponse.Events.PrevKv", "Lease"),
		by(of(watches.PrevKV), "WatchResponse.Events.PrevKv", keyValue...),
		notBy("no release of etcd has it; a cache that uses it is held to its answers", "WatchResponse", "ProgressID"),
	)
}

// ofWatches are the events of a watch of a cache.
func ofWatches() []field {
	sent := of(watches.Reliable)
	return slices.Concat(
		by(of(watches.EventTypes), "WatchEvent", "Type"),
		by(of(watches.InitialEvents), "WatchEvent", "InitialEventsEnd"),
		by(of(watches.Reliable, watches.Bookmarkable), "WatchEvent", "ResourceVersion"),
		by(sent, "WatchEvent.Item", keyValue...),
		notBy(noLease, "WatchEvent.Item", "Lease"),
		notBy("Kubernetes sends clients no previous object: the field is for the cache", "WatchEvent.Prev", append([]string{"Lease"}, keyValue...)...),
		by(of(caches.JustifiedRefusals), "WatchEvent.Err", "Code"),
		notBy(forPeople, "WatchEvent.Err", "Message"),
		by(of(caches.JustifiedRefusals), "WatchEvent.Err", "RetryAfter"),
		notBy("only pages have tokens", "WatchEvent.Err", "Continue"),
		notBy("only writes are refused because of an object that is not there", "WatchEvent.Err", "ResourceVersion"),
		notBy("it is for the cache that asked, and never sent to its clients", "WatchEvent", "ProgressID"),
	)
}

// ofWrites are the answers of an API server to writes.
func ofWrites() []field {
	return slices.Concat(
		by(of(scenarios.WriteAnswers), "ObjectResponse.Item", keyValue...),
		notBy(noLease, "ObjectResponse.Item", "Lease"),
	)
}

// ofRefusals are the answers to requests that are refused.
func ofRefusals() []field {
	return slices.Concat(
		by(of(caches.JustifiedRefusals), "Error", "Code"),
		notBy(forPeople, "Error", "Message"),
		by(of(caches.JustifiedRefusals), "Error", "RetryAfter"),
		by(of(caches.SecondToken), "Error", "Continue"),
		by(of(scenarios.NotFoundVersions), "Error", "ResourceVersion"),
	)
}

// ofProcesses are answers that only API servers get.
func ofProcesses() []field {
	return slices.Concat(
		notBy("only API servers ask, and a wrong version makes each decide by its own rules", "StatusResponse", "Version"),
		notBy(inProcess, "CompactRevisionResponse", "Revision"),
	)
}
