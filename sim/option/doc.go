// Package option (unstable) is for everything that can be set: a behaviour of etcd, a choice of the
// cache's design, a planted bug, a buffer's size, a number of clients, a budget of faults. All are
// options of one kind, each declared in one line beside the code that it belongs to:
//
//	var Options = option.NewGroup("etcd",
//		option.Choice("created", (*Config).created, "the way of the answer to a create request",
//			option.Val("past-channel", "through ctrlStream: all releases"),
//			option.Val("in-order", "through the watch channel: no release")),
//		option.Count("chan-buf", (*Config).chanBufLen, "128", "responses in a watch channel (chanBufLen)"),
//	)
//
//	Option   a name, what it belongs to, its values or its form, its default, a sentence
//	Group    the options of one kind of node, or of the workload, the faults, the clock
//	Lift     a group as part of a larger configuration
//	Seam     a choice among implementations, to which another module adds its own
//	Preset   a list of settings with a name: an etcd version, a cache design, a bug
//
// A value is always text outside (the command line, recordings, presets) and a
// field of a configuration inside.
//
// The package must never import anything of this module but internal/registry: the
// server, the client library, the cache and the workload each declare options of
// their own and know nothing of each other's.
package option
