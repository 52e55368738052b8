package write

import "github.com/watchbed/watchbed/sim/option"

// Suggestion is the value of the option suggestion.
type Suggestion uint8

// Suggestions is the seam of what a write makes of the object that the cache has.
var Suggestions = option.NewSeam[Suggestion, Trust]("suggestion", "what a write relies on of the object that the cache has").
	Shipped("checked", "nothing: what decides is looked at in etcd as well", Trust{})

// Vanished is the value of the option vanished.
type Vanished uint8

// VanishedObjects is the seam of the deletion of an object that is gone meanwhile; true: it counts as done.
var VanishedObjects = option.NewSeam[Vanished, bool]("vanished", "what a deletion is answered that finds the object gone").
	Shipped("not-found", "that there is none", false)

// NotFoundRV is the value of the option not-found-rv.
type NotFoundRV uint8

// NotFoundVersions is the seam of the resourceVersion in the error of a write that finds no object; it is
// given etcd's revision.
var NotFoundVersions = option.NewSeam[NotFoundRV, func(revision int64) int64]("not-found-rv", "which resourceVersion the error of a write has that finds no object").
	Shipped("state", "that of the state without it", func(revision int64) int64 { return revision })

// NotFoundUnversioned is what getState of k8s.io/apiserver v0.37.2 does, and v0.38.0-alpha.2 no longer.
var NotFoundUnversioned = NotFoundVersions.Register("none", "none, so that it says 0: as v0.37.2 ships it (kubernetes#138724)", func(int64) int64 { return 0 })

// Options is how a design treats writes. The zero value is what is shipped.
type Options struct {
	Suggestion Suggestion
	Vanished   Vanished
	NotFoundRV NotFoundRV
}

// Group is all options in which designs differ.
var Group = option.NewGroup("cache",
	option.SeamOption(Suggestions, func(o *Options) *Suggestion { return &o.Suggestion }),
	option.SeamOption(VanishedObjects, func(o *Options) *Vanished { return &o.Vanished }),
	option.SeamOption(NotFoundVersions, func(o *Options) *NotFoundRV { return &o.NotFoundRV }),
)

// rules are what the options chose.
type rules struct {
	trust    Trust
	vanished bool
	notFound func(revision int64) int64
}

func newRules(o Options) rules {
	return rules{
		trust: Suggestions.Of(o.Suggestion), vanished: VanishedObjects.Of(o.Vanished), notFound: NotFoundVersions.Of(o.NotFoundRV),
	}
}
