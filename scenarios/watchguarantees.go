package scenarios

import "slices"

var watchGuarantees = &Scenario{
	Name:    "watch-guarantees",
	Summary: "clients of etcd's own watch API: watches from past, present and future, filters, cancels, progress, compaction, restarts",
	Doc: `No cache is judged here: raw watch streams are held to what etcd's documentation promises of a watch. Buffers are small, so
that watchers become victims, Send blocks and control responses wait.`,
	Params: Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Writers: 2, Writes: 4, Txns: true, Deletes: true, Wide: true, Noise: 1, NoiseWrites: 2, Streams: 2,
		Read: "consistent", Keys: 2, Items: 2, History: 2, Compactions: 1, EtcdRestarts: 1, Snapshots: 1,
		ChanBuf: 2, CtrlBuf: 1, SendWindow: 2, WatchersPerSync: 1, Steps: 20_000,
	},
	Claims: []string{"ordered", "unique", "atomic", "reliable", "bookmarkable", "filter"},
	Expected: func(p *Params) []string {
		var out []string
		for _, known := range []struct {
			bug    string
			breaks []string
		}{
			// Early progress.
			{"issue-15220", []string{"bookmarkable"}},
			// A restore sends again what was sent before.
			{"issue-15271", []string{"ordered", "unique"}},
			// Events that never come.
			{"issue-17529", []string{"reliable", "bookmarkable"}},
			{"issue-18089", []string{"reliable", "bookmarkable"}},
		} {
			for _, b := range known.breaks {
				if hasBug(p, known.bug) && !slices.Contains(out, b) {
					out = append(out, b)
				}
			}
		}
		return out
	},
}
