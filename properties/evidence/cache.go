package evidence

import (
	"math"
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/testbed"
)

// Cache is what a cache was like after a step, and when it was otherwise last. Steps are
// by their numbers, 0 for never.
type Cache struct {
	// Version is its resourceVersion, Compacted the compaction below which it serves
	// nothing; 0 of a cache that does not say so. Listed is its resourceVersion when it
	// became ready: that of its list.
	Version, Compacted, Listed int64
	// Unready is the last step after which it was not ready, Behind the last one after
	// which it was older than etcd.
	Unready, Behind int
	// CurrentFrom and CurrentUntil are the last time in which it was as new as etcd. While it is, CurrentUntil is that
	// of the time before.
	CurrentFrom, CurrentUntil sim.Time
	// Trusted is the last step after which it trusted etcd's progress, Untrusted the
	// last one after which it did not.
	Trusted, Untrusted int
	// Heard is the last step in which it heard a progress notification, which it has taken in or not.
	Heard int
	// Crowded is the last step after which several clients of the history waited for its
	// answers.
	Crowded int
	// DownSince is when it last stopped being ready; the start, if it never did.
	DownSince sim.Time
	// MayHaveListed: since it was seen to become ready it was hidden (cache.Hiding). It may have listed anew behind that:
	// Version, Compacted, DownSince and Listed may be out of date.
	MayHaveListed bool
}

// cacheRecord is what is known of a cache so far. The steps in Cache are those of the
// changes: what lasts is added when it is asked for.
type cacheRecord struct {
	Cache
	ready, behind, trusts, hidden bool
	// waiting is how many clients of the history wait for its answers.
	waiting int
	// ended is what it was like before each step in which its resourceVersion or its compaction fell, as they do when
	// it begins anew: an answer from before that may be under way.
	ended []ended
}

// ended is a cache in whose place there is another one since the step after this one.
type ended struct {
	step                       int
	version, compacted, listed int64
}

// heard is how many progress notifications all caches have heard.
func heard(w *sim.World) uint64 {
	return w.Count(cache.ProgressNotified) + w.Count(cache.ProgressSkipped)
}

// look compares the cache with its state after the step before.
func (r *cacheRecord) look(w *sim.World, step int, c *testbed.Cache, newest int64) {
	before := step - 1
	if hidden := c.Hidden(); hidden != r.hidden {
		if r.hidden = hidden; hidden {
			r.MayHaveListed = true
		} else {
			r.unknown(before)
		}
	}
	var version, compacted int64
	if c.Mirror != nil {
		version = c.Mirror.ResourceVersion()
	}
	if c.Compacting != nil {
		compacted = c.Compacting.CompactRevision()
	}
	if version < r.Version || compacted < r.Compacted {
		// Records share what they had (clone).
		r.ended = append(slices.Clip(r.ended), ended{before, r.Version, r.Compacted, r.Listed})
	}
	r.Version, r.Compacted = version, compacted
	behind := c.Mirror == nil || version < newest
	switch {
	case r.behind && !behind:
		r.Behind, r.CurrentFrom = before, w.Now()
	case !r.behind && behind:
		r.CurrentUntil = w.Now()
	}
	r.behind = behind
	if ready := c.Ready(); ready != r.ready {
		r.ready = ready
		if !ready {
			r.DownSince = w.Now()
		} else {
			r.Unready = before
			r.Listed, r.MayHaveListed = version, r.hidden
		}
	}
	if trusts := c.Trusting == nil || c.Trusting.TrustsProgress(); trusts != r.trusts {
		if r.trusts = trusts; trusts {
			r.Untrusted = before
		} else {
			r.Trusted = before
		}
	}
}

// unknown writes down that it is not known whether the cache was ready, as new as etcd, and trusted it after a step.
func (c *Cache) unknown(step int) {
	c.Unready, c.Behind, c.Trusted, c.Untrusted = step, step, step, step
	c.CurrentFrom, c.CurrentUntil = math.MaxInt64, 0
}

// leave is for a client that waits no longer since this step.
func (r *cacheRecord) leave(step int) {
	if r.waiting > 1 {
		r.Crowded = step - 1
	}
	r.waiting--
}

// now writes down what the cache is like after this step.
func (r *cacheRecord) now(at *Cache, step int) {
	*at = r.Cache
	if r.hidden {
		at.unknown(step)
	}
	r.lasting(at, step)
}

// lasting writes down what is still so after a step.
func (r *cacheRecord) lasting(at *Cache, step int) {
	if !r.ready {
		at.Unready = step
	}
	if r.behind {
		at.Behind = step
	}
	if r.trusts {
		at.Trusted = step
	} else {
		at.Untrusted = step
	}
	if r.waiting > 1 {
		at.Crowded = step
	}
}

// since raises what the cache was like at last to what it was like at some time since a step: which of the caches gave
// the answer that came at last is not known.
func (r *cacheRecord) since(at *Cache, step int) {
	for _, e := range r.ended {
		if e.step >= step {
			at.Version, at.Compacted, at.Listed = max(at.Version, e.version), max(at.Compacted, e.compacted), max(at.Listed, e.listed)
		}
	}
}
