// Package write (unstable) is how an API server writes: upstream's CacheDelegator, which hands the object
// of the cache on as a suggestion, and the etcd3 store behind it, which tries one optimistic
// transaction after the other.
//
//	Delegator   all writes of one cache
//	Write       one Create, GuaranteedUpdate or Delete
//
// delegator.go has the request, and the suggestion that goes with it; store.go what the store makes of
// that: what it takes the object for (objState), GuaranteedUpdate, conditionalDelete, Create, and the transaction;
// txn_delegator.go a write that takes the cache's objects in place of etcd's (KEP-6404).
//
// The suggestion may be older than etcd's object: the cache is behind. What a check makes of it
// is not final then. Either etcd is asked for the object and all begins again, or the
// transaction finds another mod revision, and brings the object with it.
//
// # Yield points
//
// The goroutine of a request runs from its arrival to its first question to etcd, and from each
// answer to the next question: getCurrentState is one, the transaction another. The look into
// the cache is part of the first step, since CacheDelegator takes no lock of the cache for it
// and may as well be a moment late.
//
// # Left out
//
// UIDs among the preconditions: what is said of resourceVersions holds for them as well. Leases,
// transformers that find an object stale, objects that cannot be decoded. API Priority and
// Fairness counts no write. An update function is called with nothing but the object: what it
// may have seen of a suggestion in vain does not matter to it.
//
// It must never import sim/cache.
package write
