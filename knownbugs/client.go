package knownbugs

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// No release is known to have had this one. A progress notification has no object to decode, and
// yet it says that all events up to its revision were sent: it takes a slot like an event.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "bookmark-without-slot",
	Summary:  "progress is sent at once, past events that are still decoded",
	Setting:  "bookmark-slot=none",
	Scenario: scenarios.ConcurrentDecoding, Property: caches.MatchEtcd,
	Why:        "the cache takes the progress for the proof that it has the events before it",
	Further:    []*testbed.Property{caches.CatchUp, reads.Linearizable, reads.LinearizableData, watches.Ordered, watches.Unique, watches.Reliable, watches.Bookmarkable},
	WhyFurther: "LISTs that waited for the progress lack those events, and watches are sent them behind it",
})

// What is left is memory only: the call has ended, and its place is never used again.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "client-keeps-calls",
	Summary:  "the client library does not forget a call whose caller is gone",
	Setting:  "abandoned-calls=kept",
	Scenario: scenarios.ErrorsAtRest, Property: caches.ClientNothingLeft,
	Why: "nothing else depends on it: the client library holds a call that nothing waits for",
})

// clientv3 took the revision of a progress notification for the next one to watch
// from. Releases of clientv3 really behaved so, so it is a value of an option.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "client-resume-repeats", Issue: "etcd-io/etcd#15248", FixedIn: testbed.Fix("clientv3", "3.4.24", "3.5.8"),
	Summary:  "after a progress notification a broken watch resumes one revision early: its last event comes twice",
	Setting:  "resume-revision=at-header",
	Scenario: scenarios.ConsistentList, Property: watches.Unique,
	Why: "the cache takes the event a second time and sends it on; what it holds is right",
})

// etcd-io/etcd#6651 is about watches that cannot close while there is no connection.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "client-keeps-watches", Issue: "etcd-io/etcd#6651",
	Summary:  "the client library forgets nothing of watches that closed while their stream was broken",
	Setting:  "late-closings=left",
	Scenario: scenarios.ErrorsAtRest, Property: caches.ClientNothingLeft,
	Why:        "the watch has ended for its cache, and goes on at etcd",
	Further:    []*testbed.Property{etcdapi.NothingLeft},
	WhyFurther: "etcd is not told that the watch is over",
})

// No release is known to have had this one. The collector of etcd3 waits for the slot of the event
// that came first, however long its decode takes (KEP-6178).
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "decode-as-ready",
	Summary:  "events that are decoded at the same time are sent in the order in which that is done",
	Setting:  "decode-order=as-ready",
	Scenario: scenarios.ConcurrentDecoding, Property: caches.MatchEtcd,
	Why:        "the cache is at the revision of the later event, and has not had the earlier one",
	Further:    []*testbed.Property{caches.CatchUp, reads.Linearizable, reads.LinearizableData, watches.Ordered, watches.Unique, watches.Reliable, watches.Bookmarkable},
	WhyFurther: "LISTs lack the earlier event, and watches are sent it too late, or not at all",
})

// No release is known to have had this one. The error of a decode stands in the slot of its event,
// and nothing behind it is sent. If it is reported past the slots, the events behind it may be sent
// before the reflector acts on it, and the watch goes on from the last of them.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "decode-error-aside",
	Summary:  "an object that cannot be decoded is left out, and its error ends the watch some events later",
	Setting:  "decode-error=aside",
	Scenario: scenarios.ConcurrentDecoding, Property: caches.MatchEtcd,
	Why:        "the reflector watches again from behind the event that was left out",
	Further:    []*testbed.Property{caches.CatchUp, reads.Linearizable, reads.LinearizableData, watches.Reliable, watches.Bookmarkable},
	WhyFurther: "LISTs lack the event, and watches are never sent it",
})

var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-89488", Issue: "kubernetes/kubernetes#89488", FixedIn: testbed.Fix("Kubernetes", "1.19"),
	Summary:  "an API server watches without requiring a leader, and its watch hangs at a member of etcd that is cut off from the others",
	Setting:  "require-leader=never",
	Scenario: scenarios.MemberPartition, Property: reads.ServedWithoutMember,
	Why: "the member keeps the stream open and has nothing new to send, so consistent LISTs wait in vain until the network is back",
})

// A progress notification reaches all watches of the client library. Those on other
// streams may have events under way that the notification does not include.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "progress-of-another-stream",
	Summary:  "a progress notification of one stream ends the wait of reads whose watch is on another stream",
	Setting:  "progress-scope=client",
	Scenario: scenarios.SeveralCaches, Property: caches.MatchEtcd,
	Why:        "the cache says it is at a version whose events are under way on its own stream",
	Further:    []*testbed.Property{caches.CatchUp},
	WhyFurther: "a stream that breaks before those events have come is resumed behind them",
})

// All releases have it: a watch that etcd refused is in neither list of run, which waits in closingc for as many as are
// in those, and then in wg.Wait for all.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "etcd-17611", Issue: "etcd-io/etcd#17611",
	Summary:  "a stream ends while etcd refuses to create a watch on it: the client library waits for that watch for ever, and so does each later one",
	Setting:  "refused-watches=awaited",
	Scenario: scenarios.RefusedWatches, Property: caches.CatchUp,
	Why:        "the cache watches again on the stream, and is not answered",
	Further:    []*testbed.Property{caches.ClientNothingLeft, watches.KeepUp, etcdapi.NothingLeft},
	WhyFurther: "requests wait for ever, watches that go to etcd are silent, and a watch that closes with its stream is not cancelled at etcd",
})

// clientv3 once took every error of etcd itself for a permanent error, and
// repeated a read only when its connection broke. An election made reads fail.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "client-gives-up-reads", Issue: "etcd-io/etcd#8327", FixedIn: testbed.Fix("clientv3", "3.3"),
	Summary:  "a read fails when etcd changes its leader or times out, though it could be repeated",
	Setting:  "failed-reads=interrupted",
	Scenario: scenarios.AnyEtcdErrors, Property: reads.Repeated,
	Why: "the read had one attempt",
})

// A client of jetcd leaves it to gRPC when to connect again. gRPC waits for a second at
// first and for up to two minutes in the end, so that an etcd that was away for a while is
// back long before its watches are.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "client-reopens-late", Issue: "etcd-io/jetcd#1616",
	Summary:  "a client library waits for as long as gRPC does before it opens a broken watch stream again: seconds, and later minutes",
	Setting:  "reopen-pause=connection",
	Scenario: scenarios.Pauses, Property: caches.ReopensInTime,
	Why: "the stream is opened again, and its watches go on where they were, later than clientv3 would have it",
})

// No release is known to have had this one. An etcd that does not know RangeStream says so in the
// place of the first chunk (kubernetes#140279), so that the pages come instead of the stream. After
// any other error they come on top of what was queued.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "stream-late-fallback",
	Summary:  "a stream of initial events that fails midway is followed by all of them in pages",
	Setting:  "stream-fallback=any-error",
	Scenario: scenarios.RangeStreamStart, Property: caches.MatchEtcd,
	Why:        "an object of the first chunks that was deleted before the first page stays",
	Further:    []*testbed.Property{caches.CatchUp, reads.Linearizable, reads.LinearizableData},
	WhyFurther: "LISTs show the object that is deleted",
})

// Without the previous value the watcher made of a deletion an event without an
// object, which the reflector logged and skipped.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "watcher-missing-prevkv", Issue: "kubernetes/kubernetes#76675", FixedIn: testbed.Fix("Kubernetes", "1.15"),
	Summary:  "a deletion whose previous value was compacted does not reach the cache",
	Setting:  "missing-prev-kv=passes",
	Scenario: scenarios.ConsistentList, Property: caches.MatchEtcd,
	Why:        "the cache keeps an object that is deleted, whether it is read or not",
	Further:    []*testbed.Property{caches.CatchUp, reads.Linearizable, reads.LinearizableData, reads.Sequential, watches.Reliable, watches.Bookmarkable, watches.KeepUp},
	WhyFurther: "LISTs show the deleted object, and watches are not sent its deletion",
})

// A client reads out of the text of an error that nothing was written: the leader
// failed. The next leader may have the write in its log all the same.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "client-refuses-writes", Issue: "etcd-io/etcd#5577",
	Summary:  "a write that timed out is said to be refused, and was carried out",
	Setting:  "unknown-writes=refused",
	Scenario: scenarios.EtcdErrors, Property: reads.LinearizableAnswers,
	Why:        "no fate of the other writes that timed out explains what is read",
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData, reads.Sequential, reads.AtMostOnce},
	WhyFurther: "reads show a write that no client made, by what all were answered; without another write that timed out ground truth does not explain it either",
})

// gRPC's UNAVAILABLE says that a request may be tried again. Of a write it does not say
// that the first attempt failed. jetcd repeats all requests; etcd was held responsible
// for it until etcd-io/etcd#14890 was understood.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "client-repeats-writes", Issue: "etcd-io/jetcd#1444",
	Summary:  "a write that timed out is sent again, and carried out twice",
	Setting:  "unknown-writes=repeated",
	Scenario: scenarios.EtcdErrors, Property: reads.AtMostOnce,
	Why:        "the client asked once, and etcd carried it out twice",
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData, reads.Sequential, reads.LinearizableAnswers},
	WhyFurther: "the second time undoes what others wrote in between, and takes a revision that no client's write explains",
})

// The leader's machine loses power, or a network address translation forgets the connection: no packet says so.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-46964", Issue: "kubernetes/kubernetes#46964", FixedIn: testbed.Fix("Kubernetes", "1.10"),
	Summary:  "the client library does not notice that the other end of a watch stream is gone",
	Setting:  "keepalive=never",
	Scenario: scenarios.Partitions, Property: reads.AnswersInTime,
	Why: "the cache waits for progress on a stream that etcd does not have",
})
