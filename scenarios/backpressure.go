package scenarios

var backpressure = &Scenario{
	Name:    "backpressure",
	Summary: "consistent LISTs while every buffer on the way is full: victims, blocked sends, blocked loops",
	Doc: `The watch channel, the control queue, gRPC's window and the buffers of Kubernetes' etcd3 watcher hold one or two entries,
and the cache remembers few events. On fixed versions progress waits for what it must not overtake, wherever that is.`,
	Params: Params{
		Etcd: "3.5.13", Cache: "kep-2340", Assume: createdInOrder,
		Writers: 2, Writes: 5, Noise: 1, NoiseWrites: 2,
		Readers: 2, Reads: 2, Read: "consistent", Watchers: 2, Streams: 1, Caches: 1, AwaitReady: true, Keys: 2,
		Items: 1, History: 1, Breaks: 1,
		ChanBuf: 1, CtrlBuf: 1, SendWindow: 1, WatchersPerSync: 1, ClientBuf: 1, Ring: 2, Incoming: 1, WatchBuf: 1, Steps: 20_000,
	},
	Claims: []string{"linearizable", "linearizable-data", Mirrors, "ordered", "unique", "reliable", "bookmarkable"},
	Expected: func(p *Params) []string {
		out := overtaken("linearizable", "linearizable-data", Mirrors)(p)
		if hasBug(p, "issue-15220") {
			// Whatever the cache does: the raw stream asks for progress.
			out = append(out, "bookmarkable")
		}
		return out
	},
	Possible: afterBreaks,
}
