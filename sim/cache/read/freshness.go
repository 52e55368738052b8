package read

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// Freshness is the value of the option freshness.
type Freshness uint8

// Freshener says what becomes of a LIST that gives no resourceVersion.
type Freshener struct {
	// Bypasses: etcd answers every LIST and GET.
	Bypasses bool
	// NeedsProgress: the cache may answer only if etcd's progress can be trusted.
	// Such lists count as consistent reads.
	NeedsProgress bool
	// Begin begins a read that was to be consistent and that the cache is to answer.
	Begin func(r *Read, env *sim.Env)
}

// Freshnesses is the seam of what a LIST that gives no resourceVersion relies on.
var Freshnesses = option.NewSeam[Freshness, Freshener]("freshness", "what becomes of a LIST that gives no resourceVersion").
	Shipped("consistent", "the cache asks etcd for its revision and waits until it is there (KEP-2340)",
		Freshener{NeedsProgress: true, Begin: (*Read).ReadConsistently})

var (
	FreshnessNone   = Freshnesses.Register("none", "it is answered at once with what the cache has, like one at resourceVersion 0", Freshener{Begin: (*Read).ReadAtOnce})
	FreshnessDirect = Freshnesses.Register("direct", "etcd answers every LIST and GET", Freshener{Bypasses: true})
)
