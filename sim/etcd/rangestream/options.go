package rangestream

import "github.com/watchbed/watchbed/sim/option"

// Options are how a server answers RangeStream.
type Options struct {
	Method Method
	Pin    Pin
	Header Header
	// ChunkKeys is the limit of the first chunk (initialStreamChunkLimit): 10.
	ChunkKeys int
}

// Method is whether a release has the method.
type Method uint8

const (
	// Unimplemented: gRPC refuses the call.
	Unimplemented Method = iota
	// Served since 3.7.0.
	Served
)

// Pin is a value of Pins.
type Pin uint8

// Pinned is the revision at which the chunks behind the first are read, given that of the
// first. 0 is the present one.
type Pinned func(first int64) int64

// Pins are the ways to choose it. A client that asks for a revision pins it itself.
var Pins = option.NewSeam[Pin, Pinned]("stream-pin", "the revision at which the later chunks of a RangeStream are read").
	Shipped("first-chunk", "that of the first chunk: 3.7.0", func(first int64) int64 { return first })

// Header is a value of Headers.
type Header uint8

// Announced is the revision in the header of the last chunk, given the store's at the first
// and at the last.
type Announced func(first, last int64) int64

// Headers are the ways to choose it.
var Headers = option.NewSeam[Header, Announced]("stream-header", "the revision in the header of the last chunk of a RangeStream").
	Shipped("first-chunk", "the store's when the first chunk was read: 3.7.0", func(first, _ int64) int64 { return first })

// Choices are the options in which servers differ.
var Choices = option.NewGroup("etcd",
	option.Choice("range-stream", func(o *Options) *Method { return &o.Method }, "what etcd does with a RangeStream (KEP-5966)",
		option.Val("unimplemented", "it does not know the method: up to 3.6"),
		option.Val("served", "it answers in chunks: 3.7.0")),
	option.SeamOption(Pins, func(o *Options) *Pin { return &o.Pin }),
	option.SeamOption(Headers, func(o *Options) *Header { return &o.Header }),
)

// Amounts are sizes.
var Amounts = option.NewGroup("etcd",
	option.Count("stream-chunk", func(o *Options) *int { return &o.ChunkKeys }, "10", "keys in the first chunk of a RangeStream; later ones are larger or smaller, by bytes"),
)

// SetDefaults sets amounts that are zero to those of etcd.
func (o *Options) SetDefaults() {
	if o.ChunkKeys == 0 {
		o.ChunkKeys = 10
	}
}
