package etcd3

import (
	"cmp"
	"strings"

	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/release"
)

// Options are everything about a watcher that can be set by name.
type Options struct {
	// PassesMissingPrevKv: a change or deletion that etcd sent without the previous value, because that was
	// compacted (etcd #10681), does not end the watch.
	PassesMissingPrevKv bool
	// StreamsRanges is the gate EtcdRangeStream, by default from Kubernetes 1.37 on. Otherwise initial events and lists
	// come in pages.
	StreamsRanges bool
	// FallsBackLate: initial events whose stream ended with any error are listed in pages. An etcd that does not
	// know RangeStream says so in the place of the first chunk, so that nothing is queued yet.
	FallsBackLate bool
	// FailsAtPageEnd: a page that is filled fails with an error that its stream ends with. Otherwise GetList does not
	// read the error, and takes it for one more chunk.
	FailsAtPageEnd bool
	DecodeOptions
	Amounts
}

// Choices are the options in which watchers differ.
var Choices = option.Join(watchChoices, option.Lift(decodeChoices, decode))

func decode(o *Options) *DecodeOptions { return &o.DecodeOptions }

var watchChoices = option.NewGroup("client",
	option.Either("missing-prev-kv", func(o *Options) *bool { return &o.PassesMissingPrevKv }, "what a change or deletion without the previous value does to a watch",
		option.Val("fails", "ends the watch with an error: Kubernetes from 1.15 on"),
		option.Bug("passes", "nothing: a deletion does not reach the cache (kubernetes#76675)")),
	option.Either("etcd-range-stream", func(o *Options) *bool { return &o.StreamsRanges },
		"whether etcd3 reads initial events and lists, but for pages of selected objects, as a stream (EtcdRangeStream, KEP-5966)",
		option.Off("disabled", "it asks for pages: up to Kubernetes 1.36"),
		option.Val("enabled", "it tries, and asks for pages for ten minutes if etcd does not know the method")),
	option.Either("stream-fallback", func(o *Options) *bool { return &o.FallsBackLate }, "the errors of a RangeStream after which a watch lists its initial events in pages",
		option.Val("unimplemented", "that etcd does not know the method"),
		option.Bug("any-error", "any, although objects of the stream are queued")),
	option.Either("page-end", func(o *Options) *bool { return &o.FailsAtPageEnd }, "what an error of a RangeStream (etcd 3.7, client-kv=true) behind the chunk that fills a page does to the page (findings/pages/page-ends-by-error.md)",
		option.Val("more", "the page says that objects follow it: Kubernetes 1.37 and v0.38.0-beta.0"),
		option.Val("fails", "the page fails: no release")),
)

// gates are those that are on by default in the first Kubernetes that is built with a branch of
// clientv3: 1.37 with 3.7.
var gates = []struct {
	since    release.Since
	settings []option.Setting
}{
	{release.SinceAll("3.7.0"), option.Settings("etcd-range-stream=enabled", "watch-decode=concurrent")},
}

// GatesOf are the gates that go with a release of clientv3, which is known to be one.
func GatesOf(clientv3 string) (all []option.Setting) {
	v := release.Must(strings.TrimPrefix(clientv3, "v"))
	for _, g := range gates {
		if g.since.Includes(v) {
			all = append(all, g.settings...)
		}
	}
	return all
}

// Group is all options.
var Group = option.Join(Choices, option.Lift(amounts, func(o *Options) *Amounts { return &o.Amounts }), option.Lift(decodeAmounts, decode))

// Amounts are sizes. Those left at zero are what Kubernetes has.
type Amounts struct {
	// BufSize is the number of parsed events that wait for processEvents, and the
	// number of results that wait for the cache: etcd3's incomingBufSize and
	// outgoingBufSize, 100 each. IncomingBufSize and OutgoingBufSize, if not zero,
	// are for one of the two.
	BufSize, IncomingBufSize, OutgoingBufSize int
	// SyncPageSize is the number of objects in one page of a watch's initial
	// events: etcd3's defaultWatcherMaxLimit, 10000.
	SyncPageSize int
}

// amounts are those that scenarios set.
var amounts = option.NewGroup("client",
	option.Count("client-buf", func(a *Amounts) *int { return &a.BufSize }, "100", "events in each of the two buffers of a watch (incomingBufSize, outgoingBufSize)"),
)

func (a *Amounts) setDefaults() {
	a.BufSize = cmp.Or(a.BufSize, 100)
	a.IncomingBufSize = cmp.Or(a.IncomingBufSize, a.BufSize)
	a.OutgoingBufSize = cmp.Or(a.OutgoingBufSize, a.BufSize)
	a.SyncPageSize = cmp.Or(a.SyncPageSize, 10000)
}
