package informer

import (
	"fmt"

	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// The ways in which informers list: values of Options.List.
const (
	ByListWatch = "list-watch"
	ByWatchList = "watch-list"
)

// Options say how many informers a scenario has, and how they are set up.
type Options struct {
	// Count is how many there are.
	Count int
	// List is how they list, ByListWatch or ByWatchList.
	List string
	// RV is what a process asks for first, "0" or "unset", or "" for what client-go
	// asks for.
	RV string
	// Page is the number of objects in a page; 0 is the original's.
	Page int
	// Check switches their consistency detector on.
	Check bool
	// Newest makes informers ask for the newest state as soon as a watch has ended
	// with 410, NotOlder makes their lists say in so many words that a
	// resourceVersion is the minimum.
	Newest, NotOlder bool
	// ObjectBytes is what each object weighs where memory is counted; 0 counts
	// nothing.
	ObjectBytes int
}

// Group is all options of informers.
var Group = option.NewGroup("informers",
	option.Count("informers", func(o *Options) *int { return &o.Count }, "", "reflectors that follow a cache (client-go)"),
	option.Text("informer-list", func(o *Options) *string { return &o.List }, checkList, ByListWatch+" or "+ByWatchList, "how informers list"),
	option.Text("informer-rv", func(o *Options) *string { return &o.RV }, checkRV, "0 or unset", "what an informer's process asks for first (empty: client-go's own)"),
	option.Count("informer-page", func(o *Options) *int { return &o.Page }, "500", "objects in one page of an informer's list"),
	option.Switch("informer-check", func(o *Options) *bool { return &o.Check }, "informers compare what they were streamed with a list"),
	option.Switch("informer-newest", func(o *Options) *bool { return &o.Newest }, `informers ask for RV="" as soon as a watch ended with 410 (KEP-3157's appendix)`),
	option.Switch("informer-not-older", func(o *Options) *bool { return &o.NotOlder }, "informers list with resourceVersionMatch=NotOlderThan"),
	option.Count("object-bytes", func(o *Options) *int { return &o.ObjectBytes }, "nothing is counted", "what an object weighs where memory is counted, timed"),
)

// Config is that of an informer, but for the resource and the caches that it
// watches.
func (o *Options) Config() Config {
	c := Config{
		WatchList: o.List == ByWatchList, PageSize: int64(o.Page),
		ConsistencyDetector: o.Check, NewestAfterExpired: o.Newest, NotOlderThan: o.NotOlder,
	}
	if o.RV == "unset" || o.RV == "" && c.WatchList {
		// What client-go does if nothing else is set.
		c.InitialResourceVersion = wire.Unset
	}
	return c
}

func checkList(v string) error {
	switch v {
	case "", ByListWatch, ByWatchList:
		return nil
	}
	return fmt.Errorf("informer-list=%s: want %s or %s", v, ByListWatch, ByWatchList)
}

func checkRV(v string) error {
	switch v {
	case "", "0", "unset":
		return nil
	}
	return fmt.Errorf("informer-rv=%s: want 0, unset, or nothing for client-go's own", v)
}
