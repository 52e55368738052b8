package read

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// Ready says whether the cache may be used: from the first Replace of a
// ListAndWatch until that ListAndWatch ends.
type Ready struct {
	now state.Var[readiness] `cell:"cache: ready"`
	// asking are the clients that wait to hear that the cache is ready.
	asking state.Var[[]sim.Conn] `cell:"cache: questions for readyz"`
}

type readiness struct {
	ok      bool
	changed sim.Time
	// generation counts how often the cache became ready: what began in one
	// generation must not end in the next.
	generation int `cell:"-"`
}

var readyLayout = state.Of[Ready]()

// Reset makes it that of a new cache, which began at a time. With a new process the clients that wait have gone.
func (r *Ready) Reset(at sim.Time, process bool) {
	asking := *r.asking.Value()
	if process {
		asking = asking[:0]
	}
	readyLayout.Reset(r, 0, Ready{})
	r.now.Value().changed, *r.asking.Value() = at, asking
}

// IsSet reports whether the cache may be used.
func (r *Ready) IsSet(env *sim.Env) bool { return r.now.Read(env).ok }

// IsIn reports whether the cache may be used, and is in a generation.
func (r *Ready) IsIn(env *sim.Env, generation int) bool {
	return r.IsSet(env) && r.Generation() == generation
}

// OK is IsSet, between two steps; Generation that of now, and Asking the number of clients that wait.
func (r *Ready) OK() bool        { return r.now.Value().ok }
func (r *Ready) Generation() int { return r.now.Value().generation }
func (r *Ready) Asking() int     { return len(*r.asking.Value()) }

// Set says that the cache may be used, and answers the clients that have asked.
func (r *Ready) Set(env *sim.Env) {
	*r.now.Change(env) = readiness{true, env.Now(), r.Generation() + 1}
	asking := r.asking.Change(env)
	for _, conn := range *asking {
		env.Send(conn, &readyzOK)
	}
	*asking = (*asking)[:0]
}

// End says that it may not be used any more.
func (r *Ready) End(env *sim.Env) {
	if now := r.now.Change(env); now.ok {
		now.ok, now.changed = false, env.Now()
	}
}

// Ask answers a question for readyz when the cache is ready.
func (r *Ready) Ask(env *sim.Env, conn sim.Conn) {
	asking := r.asking.Change(env)
	*asking = append(*asking, conn)
}

var readyzOK wire.ReadyzResponse

// Refusal is the 429 of a cache that is not ready. The client shall come back
// after e^(0.06 * seconds of downtime) seconds, at most 30 (KEP-4568).
func (r *Ready) Refusal(env *sim.Env) *wire.Error {
	down := env.Now().Sub(r.now.Read(env).changed).Milliseconds()
	i := 0
	for i < len(retryAfterSteps) && down >= retryAfterSteps[i] {
		i++
	}
	return notReady[i]
}

// Clone returns a copy that goes its own way.
func (r *Ready) Clone() Ready { return *readyLayout.Clone(r) }

// Cells visits the cells.
func (r *Ready) Cells(visit sim.CellVisitor) { readyLayout.Cells(r, visit) }

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
