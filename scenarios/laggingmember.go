package scenarios

var laggingMember = &Scenario{
	Name:    "lagging-member",
	Summary: "watches are served by a member of etcd that is behind the one that takes reads and writes",
	Doc: `A linearizable read waits until its member has applied what was committed (ReadIndex). A watch has no such step: its
events and its progress are of the member's own store, however far that is. KEP-2340 does not mind, because it waits for a
revision that a linearizable read gave it. To take an echoed progress request for the proof (the first draft, "Potential
Future Improvements") is wrong on every etcd: the member that answers may lack a write that another one has confirmed.

A watch that begins at a revision which its member does not have yet is told of progress below it by releases before 3.4.38,
3.5.22 and 3.6.2 (etcd-io/etcd#20221): the cache's resourceVersion goes back behind its own list.`,
	Params: Params{
		Etcd: "3.6.16", Cache: "kep-2340", Assume: createdInOrder,
		Writers: 2, Writes: 3, Noise: 1, NoiseWrites: 1, Readers: 2, Reads: 3, Read: "consistent", Caches: 1, AwaitReady: true,
		Keys: 2, Items: 1, Breaks: 1, Restarts: 1, Lagging: true, Steps: 20_000,
	},
	Claims: []string{"linearizable", "linearizable-data", "sequential", Mirrors},
	Expected: func(p *Params) []string {
		var out []string
		if p.Cache == "progress-echo" {
			out = append(out, "linearizable", "linearizable-data")
		}
		if p.toldBelowStart() && p.Cache != "direct" && p.Cache != "stale" {
			out = append(out, Mirrors)
		}
		return append(out, overtaken("linearizable", "linearizable-data", "sequential")(p)...)
	},
	Possible: func(p *Params) []string {
		out := afterBreaks(p)
		if p.Cache == "progress-echo" {
			out = append(out, "sequential")
		}
		return out
	},
}
