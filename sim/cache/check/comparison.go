package check

import (
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// CheckDigest chooses a Digesting.
type CheckDigest uint8

// Digesting adds an object with this prefix to a digest.
type Digesting func(d store.Digest, prefix string, kv *wire.KeyValue) store.Digest

// CheckDigests are the ways to take the digest of a state.
var CheckDigests = option.NewSeam[CheckDigest, Digesting]("check-digest", "what a consistency check compares of each object").
	Shipped("revisions", "its name and its revision", store.Digest.Object)

// CheckPage chooses a Paging.
type CheckPage uint8

// Paging is the revision at which a check lists the pages after the first, with the one
// that it compares at.
type Paging func(revision int64) int64

// CheckPages are the revisions of these pages; 0 is the newest.
var CheckPages = option.NewSeam[CheckPage, Paging]("check-pages", "the revision of the pages that a consistency check lists after the first").
	Shipped("exact", "that of the first page", func(revision int64) int64 { return revision })
