package read

import (
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

var (
	// cellReady says whether the cache may be used, and for how long.
	cellReady = sim.NewCell("cache: ready")
	// cellAsking is the clients that wait to learn that the cache is ready.
	cellAsking = sim.NewCell("cache: questions for readyz")
)

// Ready says whether the cache may be used: from the first Replace of a
// ListAndWatch until that ListAndWatch ends.
type Ready struct {
	ok bool
	// generation counts how often the cache became ready: what began in one
	// generation must not end in the next.
	generation int
	changed    sim.Time
	// asking are the clients that wait to hear that the cache is ready.
	asking []sim.Conn
}

// Reset makes it that of a new cache, which began at a time. With a new process the clients that wait have gone.
func (r *Ready) Reset(at sim.Time, process bool) {
	asking := r.asking
	if process {
		asking = asking[:0]
	}
	*r = Ready{changed: at, asking: asking}
}

// IsSet reports whether the cache may be used.
func (r *Ready) IsSet(env *sim.Env) bool {
	env.Reads(cellReady, 0)
	return r.ok
}

// IsIn reports whether the cache may be used, and is in a generation.
func (r *Ready) IsIn(env *sim.Env, generation int) bool {
	return r.IsSet(env) && r.generation == generation
}

// OK is IsSet, between two steps; Generation that of now, and Asking the number of clients that wait.
func (r *Ready) OK() bool        { return r.ok }
func (r *Ready) Generation() int { return r.generation }
func (r *Ready) Asking() int     { return len(r.asking) }

// Set says that the cache may be used, and answers the clients that have asked.
func (r *Ready) Set(env *sim.Env) {
	env.Writes(cellReady, 0)
	r.ok = true
	r.generation++
	r.changed = env.Now()
	env.Writes(cellAsking, 0)
	for _, conn := range r.asking {
		env.Send(conn, &readyzOK)
	}
	r.asking = r.asking[:0]
}

// End says that it may not be used any more.
func (r *Ready) End(env *sim.Env) {
	env.Writes(cellReady, 0)
	if r.ok {
		r.ok, r.changed = false, env.Now()
	}
}

// Ask answers a question for readyz when the cache is ready.
func (r *Ready) Ask(env *sim.Env, conn sim.Conn) {
	env.Writes(cellAsking, 0)
	r.asking = append(r.asking, conn)
}

// Readyz answers a ReadyzRequest, now or later. Where no read needs the cache, the
// API server is ready without it.
func (d *Delegator) Readyz(env *sim.Env, conn sim.Conn) {
	if d.cfg.Ready.IsSet(env) || d.Bypassed() {
		env.Send(conn, &readyzOK)
		return
	}
	d.cfg.Ready.Ask(env, conn)
}

var readyzOK wire.ReadyzResponse

// Refusal is the 429 of a cache that is not ready. The client shall come back
// after e^(0.06 * seconds of downtime) seconds, at most 30 (KEP-4568).
func (r *Ready) Refusal(env *sim.Env) *wire.Error {
	env.Reads(cellReady, 0)
	down := env.Now().Sub(r.changed).Milliseconds()
	i := 0
	for i < len(retryAfterSteps) && down >= retryAfterSteps[i] {
		i++
	}
	return notReady[i]
}

// Clone returns a copy that goes its own way.
func (r *Ready) Clone() Ready {
	c := *r
	c.asking = slices.Clone(r.asking)
	return c
}

// Cells visits the cells.
func (r *Ready) Cells(visit sim.CellVisitor) {
	visit(cellReady, 0, sim.NewDigest.Bool(r.ok).Int(int64(r.changed)))
	visit(cellAsking, 0, sim.NewDigest.Int(int64(len(r.asking))))
}

// retryAfterSteps[i] is the downtime, in milliseconds, from which on the answer
// is i+2 seconds: ln(i+2)/0.06. A table, because math.Exp is not the same to
// the last bit on every machine, and a run must be.
var retryAfterSteps = [29]int64{
	11553, 18311, 23105, 26824, 29863, 32432, 34658, 36621, 38377, 39965,
	41416, 42750, 43985, 45135, 46210, 47221, 48173, 49074, 49929, 50743,
	51518, 52259, 52968, 53648, 54302, 54931, 55537, 56122, 56687,
}

var notReady = func() (all [len(retryAfterSteps) + 1]*wire.Error) {
	for i := range all {
		all[i] = &wire.Error{
			Code: wire.TooManyRequests, RetryAfter: i + 1,
			Message: "storage is (re)initializing: retry after " + strconv.Itoa(i+1) + " s",
		}
	}
	return all
}()
