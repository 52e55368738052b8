package rangestream

import "github.com/watchbed/watchbed/sim/option"

// Options are how a server answers RangeStream.
type Options struct {
	// Served since 3.7.0: before that gRPC refuses the call.
	Served bool
	// ReadsNewestChunks: the chunks behind the first are each read at the newest revision.
	// A client that asks for a revision pins it itself.
	ReadsNewestChunks bool
	// HeadsWithLastChunk: the header has the revision of the store at the last chunk.
	HeadsWithLastChunk bool
	// ChunkKeys is the limit of the first chunk (initialStreamChunkLimit): 10.
	ChunkKeys int
}

// Choices are the options in which servers differ.
var Choices = option.NewGroup("etcd",
	option.Either("range-stream", func(o *Options) *bool { return &o.Served }, "what etcd does with a RangeStream (KEP-5966)",
		option.Val("unimplemented", "it does not know the method: up to 3.6"),
		option.Val("served", "it answers in chunks: 3.7.0")),
	option.Either("stream-pin", func(o *Options) *bool { return &o.ReadsNewestChunks },
		"the revision at which the later chunks of a RangeStream are read",
		option.Val("first-chunk", "that of the first chunk: 3.7.0"),
		option.Bug("none", "the newest, each for itself")),
	option.Either("stream-header", func(o *Options) *bool { return &o.HeadsWithLastChunk },
		"the revision in the header of the last chunk of a RangeStream",
		option.Val("first-chunk", "the store's when the first chunk was read: 3.7.0"),
		option.Bug("last-chunk", "the store's when the last chunk was read")),
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
