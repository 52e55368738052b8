package scenarios

var issue15220 = &Scenario{
	Name:    "issue-15220",
	Summary: "progress overtakes the event of the same revision: a consistent LIST lacks a completed write",
	Doc: `Writers write, readers list consistently from a cache whose watch is synced. Up to etcd 3.4.24 and 3.5.7 the
answer to a progress request goes through the control queue and overtakes the events in the watch channel
(etcd-io/etcd#15220): the cache believes it is as new as etcd said it was, and answers without the write.`,
	Params: Params{
		Etcd: "3.5.7", Cache: "kep-2340", Assume: createdInOrder,
		Writers: 2, Writes: 3, Readers: 2, Reads: 3, Read: "consistent", Caches: 1, AwaitReady: true, Keys: 2,
		Steps: 20_000,
	},
	Claims:   []string{"linearizable", "linearizable-data"},
	Expected: overtaken("linearizable", "linearizable-data"),
}

var issue15220CatchingUp = &Scenario{
	Name:    "issue-15220-catching-up",
	Summary: "the same with a watcher that has history to catch up on: 3.5.7 answers at once, and wrongly",
	Doc: `The watch stream breaks, so that the cache's watcher resumes below the present revision and is unsynced. Up to
3.4.24 and 3.5.7 a progress request is answered with the present revision all the same (etcd-io/etcd#15220).`,
	Params: Params{
		Etcd: "3.5.7", Cache: "kep-2340", Assume: createdInOrder,
		Writers: 1, Writes: 4, Readers: 2, Reads: 2, Read: "consistent", Caches: 1, AwaitReady: true, Keys: 2,
		Items: 1, Breaks: 1, Steps: 20_000,
	},
	Claims:   []string{"linearizable", "linearizable-data", Mirrors},
	Expected: overtaken("linearizable", "linearizable-data", Mirrors),
}

// overtaken expects the violations where progress goes through the control
// queue.
func overtaken(claims ...string) func(p *Params) []string {
	return func(p *Params) []string {
		if hasBug(p, "issue-15220") {
			return trustsProgress(p, claims...)
		}
		return trustsNothing(p, claims...)
	}
}

// afterBreaks is what else is violated, rarely, where progress goes through the
// control queue, watch streams break, and watchers of the cache are judged:
// after early progress a stream resumes past events, and after late progress,
// which was overtaken in its turn, it resumes before them.
func afterBreaks(p *Params) []string {
	if p.asksForProgress() && (hasBug(p, "issue-15220") || clientRepeats(p)) {
		return []string{"ordered", "unique", "reliable"}
	}
	return nil
}

// asksForProgress: the others never do.
func (p *Params) asksForProgress() bool { return p.Cache != "direct" && p.Cache != "stale" }

// trustsProgress is what of the claims is violated where progress is early:
// nothing in a design that sends every read to etcd.
func trustsProgress(p *Params, claims ...string) []string {
	if p.Cache == "direct" {
		return nil
	}
	if p.Cache == "stale" {
		return trustsNothing(p, claims...)
	}
	return claims
}

// trustsNothing is what of the claims is violated whatever etcd does: all that
// is about the freshness of reads, in the design that never asks for it.
// Mirrors is about the cache itself and not about what it is asked.
func trustsNothing(p *Params, claims ...string) []string {
	var out []string
	for _, c := range claims {
		switch {
		case p.Cache != "stale":
		case c == "linearizable", c == "linearizable-data":
			out = append(out, c)
		case c == "sequential" && p.Gets > 0:
			// GETs are etcd's in every design: a list after one goes back.
			out = append(out, c)
		}
	}
	return out
}
