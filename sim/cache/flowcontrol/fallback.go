package flowcontrol

import "github.com/watchbed/watchbed/sim/option"

// FallbackSeats is the value of the option fallback-seats.
type FallbackSeats uint8

// FallbackRule decides about a LIST that has fewer seats than what is to be asked of
// etcd costs. It returns false if the LIST has to be refused.
type FallbackRule func(l *Level, r *Request, cost int) bool

// FallbackRules is the seam of the seats of a LIST that is put to etcd although its seats
// were estimated for the cache (KEP-2340, "Per-request override": the cost would change
// after the decision).
var FallbackRules = option.NewSeam[FallbackSeats, FallbackRule]("fallback-seats",
	"the seats of a LIST that is put to etcd although they were estimated for the cache").
	Shipped("kept", "it keeps those that it has", func(*Level, *Request, int) bool { return true })

// SeatsAtEtcd is the other value. A LIST cannot wait for more seats while it has some:
// two that did would wait for each other.
var SeatsAtEtcd = FallbackRules.Register("at-etcd", "it takes as many as etcd's answer costs, or is refused with 429 if these are not free",
	func(l *Level, r *Request, cost int) bool {
		if l.InUse()-r.Seats+cost > l.cfg.Seats {
			return false
		}
		r.Seats = cost
		return true
	})
