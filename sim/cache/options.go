package cache

import (
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/flowcontrol"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/cache/request"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/cache/write"
	"github.com/watchbed/watchbed/sim/option"
)

// Options is a design of the cache: a value for each option of Group. The zero
// value is KEP-2340 as written, with the amounts of k8s.io/apiserver.
type Options struct {
	Reads            read.Options
	Writes           write.Options
	ProgressRequests progress.Requests
	Store            store.Options
	Checks           check.Options
	Ingestion        IngestionOptions
	Watches          dispatch.Options
	Guard            guard.Options
	Flow             flowcontrol.Options
	Library          LibraryOptions
	Shards           request.Shards
	Amounts
}

// Choices are the options with named values: in what designs differ.
var Choices = option.Join(
	option.Lift(read.Group, func(o *Options) *read.Options { return &o.Reads }), requesterOptions,
	request.ShardsGroup(func(o *Options) *request.Shards { return &o.Shards }),
	option.Lift(write.Group, func(o *Options) *write.Options { return &o.Writes }),
	option.Lift(store.Group, func(o *Options) *store.Options { return &o.Store }),
	option.Lift(check.Group, func(o *Options) *check.Options { return &o.Checks }),
	option.Lift(ingestionOptions, func(o *Options) *IngestionOptions { return &o.Ingestion }),
	option.Lift(dispatch.Group, func(o *Options) *dispatch.Options { return &o.Watches }),
	option.Lift(guard.Group, func(o *Options) *guard.Options { return &o.Guard }),
	option.Lift(flowcontrol.Group, func(o *Options) *flowcontrol.Options { return &o.Flow }),
	option.Lift(libraryOptions, func(o *Options) *LibraryOptions { return &o.Library }))

var requesterOptions = option.NewGroup("cache",
	option.Choice("progress-requests", func(o *Options) *progress.Requests { return &o.ProgressRequests },
		"when the cache asks etcd for progress",
		option.Val("periodic", "every 100 ms while a read waits"),
		option.Val("once", "once for each read that begins to wait (rejected by the draft of 2019)"),
		option.Val("notify", "never: etcd sends progress by itself at a configured interval (the draft of 2019)"),
		option.Val("echo", "with an id when a consistent read begins; the notification that echoes the id proves the watch as new as the read (the draft of 2019, Potential Future Improvements)")))

// Group is all options of the cache: the choices, then the amounts.
var Group = option.Join(Choices,
	option.Lift(amounts, func(o *Options) *Amounts { return &o.Amounts }),
	option.Lift(flowcontrol.Amounts, func(o *Options) *flowcontrol.Options { return &o.Flow }))

// With returns the options with one of them set. The error names the option
// and what it takes.
func (o Options) With(name, value string) (Options, error) {
	err := Group.Set(&o, name, value)
	return o, err
}
