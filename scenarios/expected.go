package scenarios

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/testbed"
)

// overtaken expects the violations where progress goes through the control
// queue.
func overtaken(claims ...*testbed.Property) func(p *testbed.Params) []*testbed.Property {
	return func(p *testbed.Params) []*testbed.Property {
		if hasBug(p, "issue-15220") && asksForProgress(p) {
			return trustsProgress(p, claims...)
		}
		return trustsNothing(p, claims...)
	}
}

// afterBreaks is what else is violated, rarely, where progress goes through the
// control queue, watch streams break, and watchers of the cache are judged:
// after early progress a stream resumes past events, and after late progress,
// which was overtaken in its turn, it resumes before them. A restore from a
// snapshot repeats events, too (etcd-io/etcd#15271).
func afterBreaks(p *testbed.Params) []*testbed.Property {
	var out []*testbed.Property
	if hearsOfProgress(p) && (hasBug(p, "issue-15220") || clientRepeats(p)) {
		out = append(out, watches.Ordered, watches.Unique, watches.Reliable, reads.NotOlderThan)
	}
	if clientRepeats(p) {
		// What comes again came before a bookmark, too.
		out = append(out, watches.Bookmarkable)
	}
	if p.Faults.Snapshots > 0 && hasBug(p, "issue-15271") {
		out = append(out, watches.Ordered, watches.Unique)
	}
	return out
}

// afterCompactions is what else is violated, rarely, where etcd compacts and
// restarts while keys are deleted: older versions lose deletions, and a client that
// follows a watch keeps what is gone (etcd-io/etcd#17780, #18089, #19179).
func afterCompactions(claims ...*testbed.Property) func(p *testbed.Params) []*testbed.Property {
	return func(p *testbed.Params) []*testbed.Property {
		out := afterBreaks(p)
		if hasBug(p, "issue-17780") || hasBug(p, "issue-18089") || hasBug(p, "issue-19179") {
			out = append(out, claims...)
		}
		return out
	}
}

// hearsOfProgress: a design that never asks for progress may still be sent it,
// and the stale one asks if a read gives a resourceVersion to wait for.
func hearsOfProgress(p *testbed.Params) bool {
	switch p.Cache {
	case "direct":
		return notifies(p)
	case "stale":
		return notifies(p) || p.Workload.Read == "every" || p.Workload.Read == "not-older"
	}
	return true
}

// asksForProgress: the draft of 2019 has etcd tell by itself, which always went
// the way of the events. A cache that does not trust the version of etcd asks for
// nothing either.
func asksForProgress(p *testbed.Params) bool {
	return p.Cache != "draft-2019" && checkTrusts(versionCheck(p), p.Etcd)
}

// echoMayNotCome: progress is not told to a watch that starts behind the store's
// revision (the fix of etcd-io/etcd#20221), as every one does that begins on a
// quiet store. A read that needs no progress because the cache is up to date
// does not mind; one that takes the echo for its proof waits for a write.
func echoMayNotCome(p *testbed.Params) bool { return p.Cache == "progress-echo" && !toldBelowStart(p) }

// toldBelowStart: a watch is told of progress before the revision that it begins
// at exists, in one way or another (etcd-io/etcd#20221).
func toldBelowStart(p *testbed.Params) bool {
	return hasBug(p, "issue-15220") || hasBug(p, "issue-17507") || hasBug(p, "issue-20221")
}

// trustsProgress is what of the claims is violated where requested progress is
// early: nothing in a design that sends every read to etcd.
func trustsProgress(p *testbed.Params, claims ...*testbed.Property) []*testbed.Property {
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
// The contents of the cache
// itself are not among them.
func trustsNothing(p *testbed.Params, claims ...*testbed.Property) []*testbed.Property {
	var out []*testbed.Property
	for _, c := range claims {
		switch {
		case p.Cache != "stale":
		case c == reads.Linearizable, c == reads.LinearizableData:
			out = append(out, c)
		case c == reads.Sequential && p.Workload.Gets > 0:
			// GETs are etcd's in every design: a list after one goes back.
			out = append(out, c)
		}
	}
	return out
}

// expectStale: an RV="0" read is answered from the cache by every design but
// the one that sends everything to etcd.
func expectStale(p *testbed.Params, claims ...*testbed.Property) []*testbed.Property {
	if p.Cache == "direct" {
		return nil
	}
	return claims
}
