// Package history reads and writes recorded histories: what clients asked, when, and
// what they were answered. It knows package model only, and must never import a judge:
// what is refused here is what no judge could make sense of, and a wrong answer is none
// of that.
//
// # The format of a history
//
// A history is JSON Lines, in UTF-8. The first line may be a header with the
// store that the history starts from; without it that is a fresh etcd, empty at
// revision 1:
//
//	{"format":"watchbed-history","version":1,"initial":{"revision":4,"items":[
//	  {"key":"a","value":"1","create":3,"mod":4,"version":2}]}}
//
// (on one line). Every other line is one operation:
//
//	{"client":"w1","op":"put","call":3,"return":9,"request":{"key":"a","value":"2"},"response":{"revision":5}}
//	{"client":"r1","op":"list","call":4,"return":6,"server":"cache-0","request":{"key":"a","end":"b"},
//	  "response":{"revision":4,"items":[{"key":"a","value":"1","create":3,"mod":4,"version":2}]}}
//	{"client":"r2","op":"list","call":11,"return":12,"request":{"key":"a","end":"b"},"error":"too-many-requests"}
//	{"client":"w1","op":"delete","call":10,"request":{"key":"a"},"unknown":true}
//
// (again each on one line). The fields of an operation:
//
//   - client: the client that sent the request. A client does one thing at a time.
//   - op: put, delete, txn, get, list, compact, lease-grant or lease-revoke.
//   - call, return: readings of one counter that grows with every event of the
//     whole run. Clocks will not do: two events with the same reading count as
//     concurrent, which hides violations.
//   - server: the server that answered. It is for readers only and may be left
//     out.
//   - request: put {"key","value","lease","prevKV"}, delete {"key","end","prevKV"}, get {"key"},
//     list {"key","end","limit","countOnly","keysOnly","selection"}, compact {"revision"},
//     lease-grant {"lease","ttl"}, lease-revoke {"lease"},
//     txn {"compare":[{"key","target":"mod|version|create|value|lease","result":"=|!=|>|<","value","end"}],
//     "success":[...],"failure":[...]} with requests that carry their own "op", which may
//     be txn again: its compares look at the store before all of it. A compare
//     of values has "text" in place of "value". A put with "ignoreValue" keeps the value,
//     one with "ignoreLease" the lease.
//     selection {"sortBy":"version|create|mod|value","descending","minMod","maxMod","minCreate","maxCreate",
//     "values","valuesEnd","shardByValue","shardFrom","shardTo","moreOfAll"}: values and valuesEnd are how the
//     values of the items begin and end, the shard is model.Shard; with moreOfAll a page says "more" if any item
//     of the range follows, selected or not.
//     Ranges are etcd's: without end the single key, end "\u0000" is "from key on".
//     Reads may have "freshness": "any" (Kubernetes: resourceVersion 0),
//     "not-older-than" or "exact", the latter two with "revision"; without it
//     they are consistent.
//   - exactly one of response, error and unknown:
//     response {"revision","items","count","more","deleted","prev","succeeded","responses"},
//     where revision is the revision that a write made or a list observed; it may be
//     left out where the server did not send it, and count where it is the number
//     of items. prev are the items before a write that asked for them with prevKV. Of an item, create, mod and version may be left out if they are not
//     known. An item with all of them and no lease is on no lease; of others that is not known.
//     error is compacted, future-revision, timeout, too-many-requests,
//     unavailable or invalid: the operation definitely had no effect.
//     unknown is true for an operation that may have happened, may happen
//     later, or never; it has no return.
//   - commit: of a write, the revision at which it took effect according to
//     ground truth; -1 if it never did, 0 or left out if that is unknown.
//
// All writers of the store must be recorded: a revision that no operation made
// is a violation. If some are not, the header has to say so with "partial":true. Then what
// cannot be known is unknown: "holds" says that writes of others can explain the answers,
// "violated" that none can. What the comparisons of transactions found, counts, the items before a
// write, and the create and version of items are not judged then, as others may have changed them.
//
// # Leases
//
// A lease may expire at any time after its grant was asked for, unless a client was answered that
// it revoked the lease. etcd deletes the keys of a lease that expires, and no client does. The
// judges do not ask whether the time to live has passed, nor whether a lease exists: no revision
// says it. The format has no keep-alive. A grant must be recorded only if its id is granted more
// than once.
//
// # Watches
//
// What a client was sent on a watch is recorded in the order in which it came. A line with
// the request opens a stream, the lines with responses that follow belong to it; a client
// that watches again opens its next one:
//
//	{"watch":"w2","request":{"key":"a","end":"b","startRevision":4,"prevKV":true}}
//	{"watch":"w2","response":{"revision":4,"created":true}}
//	{"watch":"w2","response":{"events":[{"type":"put","item":{"key":"a","value":"2","create":3,"mod":5,"version":3},
//	  "prev":{"key":"a","value":"1","create":3,"mod":4,"version":2}}]}}
//	{"watch":"w2","response":{"revision":5,"progress":true}}
//
// (again each on one line). The fields:
//
//   - watch: the client that watches.
//   - request: as etcd's, with "key", "end", "startRevision" (without it the watch starts
//     now, behind the revision of the response that is created), "prevKV", "noPut",
//     "noDelete", "progressNotify"; and "listed" if the client had listed everything before,
//     so that nothing before the start is owed to it.
//   - response: "revision", "created", "progress" (a bookmark), "fragment" (the next response
//     belongs to this one), "canceled", "compactRevision", and "events" with "type" put or
//     delete, "item" and "prev". The mod of a deleted item is the revision of the deletion;
//     create and version may be left out.
//
// In a partial history a watch is violated if it contradicts a recorded write: an event is not what
// the write of its revision made, or is missing.
//
// A history may have watches and no reads, but what watches are held against are the writes.
//
// Unknown fields are refused, later versions too, and a key that stands twice in one object.
package history
