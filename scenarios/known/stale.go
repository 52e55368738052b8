package known

import (
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/testbed"
)

// StaleReads are the violations of a design that answers consistent LISTs from its present contents.
func StaleReads(violates ...*testbed.Property) []testbed.Row {
	return When(ServesStale).Violates(violates...).
		Because("the cache may not have the newest writes yet (kubernetes/kubernetes#59848)")
}

// StaleAfterGet is about a client that GETs and then LISTs.
func StaleAfterGet() []testbed.Row {
	return When(ServesStale, ClientsGet).Violates(reads.Sequential).
		Because("etcd answers every consistent GET, and a LIST from the cache after that goes back in time")
}

// AnyVersion is about LISTs at resourceVersion "0".
func AnyVersion(violates ...*testbed.Property) []testbed.Row {
	return When(AnswersLists).Violates(violates...).
		Because(`a LIST at resourceVersion "0" is answered with what the cache has (kubernetes/kubernetes#59848)`)
}

// RefusedStreams is about informers whose first stream is refused, so that they list. A scenario in which no process of
// an informer need follow another one says under which further conditions one does.
func RefusedStreams(further ...testbed.Condition) []testbed.Row {
	return When(append(further, AnswersLists, InformersTakeAny)...).RarelyViolates(informers.Monotonic).
		Because(`a process whose first stream is refused lists at resourceVersion "0", which is answered with what the cache has (kubernetes/kubernetes#59848)`)
}

// StaleRelist is about an informer that lists again.
func StaleRelist() []testbed.Row {
	return When(ServesStale).Violates(informers.Monotonic).
		Because("an informer whose resourceVersion is refused asks for the newest list, and gets what the cache has")
}
