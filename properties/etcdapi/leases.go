package etcdapi

import (
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/moments"
)

// aboutLeases reports whether a request is about a lease and not about keys.
func aboutLeases(r *model.Request) bool {
	switch r.Kind {
	case model.LeaseGrant, model.LeaseRevoke, model.LeaseKeepAlive, model.LeaseTimeToLive:
		return true
	}
	return false
}

// leaseRefused says why a refusal of a request about a lease has no reason, nothing if it
// has one.
func (j *answers) leaseRefused(r *model.Request, at *moments.Call) string {
	log := j.system.Truth().Log()
	all, none := log.Leases(r.Lease, at.Asked.Applied, at.Answered.Revision)
	switch _, grants := model.Grants(r.TTL); {
	case r.Kind == model.LeaseGrant && grants && len(all) == 0:
		return "there was no such lease"
	case r.Kind == model.LeaseRevoke && !none:
		return "there was such a lease all the time"
	}
	return ""
}

// lacksLease reports whether one of the leases that puts of a request name may have been
// missing while it was under way.
func (j *answers) lacksLease(r *model.Request, at *moments.Call) bool {
	if r.Kind == model.Put && r.Lease != 0 {
		if _, none := j.system.Truth().Log().Leases(r.Lease, at.Asked.Applied, at.Answered.Revision); none {
			return true
		}
	}
	lacks := func(op model.Request) bool { return j.lacksLease(&op, at) }
	return slices.ContainsFunc(r.Success, lacks) || slices.ContainsFunc(r.Failure, lacks)
}

// leaseFits holds the answer to a request about a lease against the leases that there were.
func (j *answers) leaseFits(op *model.Operation, at *moments.Call) string {
	r, res, log := op.Request, op.Result, j.system.Truth().Log()
	all, none := log.Leases(r.Lease, at.Asked.Applied, at.Answered.Revision)
	is := func(fits func(l *model.Lease) bool) bool {
		return slices.ContainsFunc(all, func(l model.Lease) bool { return fits(&l) })
	}
	switch r.Kind {
	case model.LeaseGrant:
		ttl, _ := model.Grants(r.TTL)
		switch {
		case r.Lease != 0 && res.Lease.ID != r.Lease:
			return fmt.Sprintf("the lease has the id %d", res.Lease.ID)
		case res.Lease.TTL != ttl:
			return fmt.Sprintf("the lease lives for %d s, and not %d", res.Lease.TTL, ttl)
		case !log.Changed(res.Lease.ID, res.Revision, true):
			return fmt.Sprintf("no lease %d was granted at that revision", res.Lease.ID)
		}
	case model.LeaseRevoke:
		if !log.Changed(r.Lease, res.Revision, false) {
			return fmt.Sprintf("no lease %d was revoked at that revision", r.Lease)
		}
	case model.LeaseKeepAlive:
		switch {
		case res.Lease.ID != r.Lease:
			return fmt.Sprintf("it is about lease %d", res.Lease.ID)
		case res.Lease.TTL == 0 && !none:
			return fmt.Sprintf("there was a lease %d all the time", r.Lease)
		case res.Lease.TTL != 0 && !is(func(l *model.Lease) bool { return l.TTL == res.Lease.TTL }):
			return fmt.Sprintf("there was no lease %d of %d s", r.Lease, res.Lease.TTL)
		}
	case model.LeaseTimeToLive:
		switch {
		case res.Lease.ID != r.Lease:
			return fmt.Sprintf("it is about lease %d", res.Lease.ID)
		case res.Lease.TTL < 0 && !none:
			return fmt.Sprintf("there was a lease %d all the time", r.Lease)
		case res.Lease.TTL >= 0 && !is(func(l *model.Lease) bool { return l.TTL == res.Lease.Granted }):
			return fmt.Sprintf("there was no lease %d of %d s", r.Lease, res.Lease.Granted)
		case res.Lease.TTL >= 0 && res.Lease.TTL > res.Lease.Granted+j.promotedFor():
			return "more time is left than was granted"
		case res.Lease.TTL >= 0 && r.Keys && !j.hadKeys(op, at):
			return fmt.Sprintf("lease %d never had the keys %q meanwhile", r.Lease, res.Lease.Keys)
		}
	}
	return ""
}

// promotedFor is what a new leader adds to the time of a lease, in seconds: an election
// timeout.
func (j *answers) promotedFor() int64 {
	return int64((j.system.ElectionTimeout() + time.Second - 1) / time.Second)
}

// hadKeys reports whether a lease had the keys of an answer at some time while the request was
// under way. The header of the answer is made after it.
func (j *answers) hadKeys(op *model.Operation, at *moments.Call) bool {
	log := j.system.Truth().Log()
	for rev := max(at.Asked.Applied, log.First()); rev <= min(op.Result.Revision, log.Revision()); rev++ {
		if slices.Equal(log.At(rev).Attached(op.Request.Lease), op.Result.Lease.Keys) {
			return true
		}
	}
	return false
}
