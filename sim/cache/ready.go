package cache

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// ready says whether the cache may be used: from the first Replace of a
// ListAndWatch until that ListAndWatch ends.
type ready struct {
	ok bool
	// generation counts how often the cache became ready: what began in one
	// generation must not end in the next.
	generation int
	changed    sim.Time
	// asking are the clients that wait to hear that the cache is ready.
	asking []sim.Conn
}

// isSet reports whether the cache may be used.
func (r *ready) isSet(env *sim.Env) bool {
	env.Reads(cellReady, 0)
	return r.ok
}

// set says that the cache may be used, and answers the clients that have asked.
func (r *ready) set(env *sim.Env) {
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

// end says that it may not be used any more.
func (r *ready) end(env *sim.Env) {
	env.Writes(cellReady, 0)
	if r.ok {
		r.ok, r.changed = false, env.Now()
	}
}

// ask answers a question for readyz when the cache is ready.
func (r *ready) ask(env *sim.Env, conn sim.Conn) {
	env.Writes(cellAsking, 0)
	r.asking = append(r.asking, conn)
}

// readyz answers a ReadyzRequest, now or later. Where no read needs the cache, the
// API server is ready without it.
func (c *Cache) readyz(env *sim.Env, m *sim.Message) {
	if c.ready.isSet(env) || c.reads.Bypassed() {
		env.Send(m.Conn, &readyzOK)
		return
	}
	c.ready.ask(env, m.Conn)
}

var readyzOK wire.ReadyzResponse

// refusal is the 429 of a cache that is not ready. The client shall come back
// after e^(0.06 * seconds of downtime) seconds, at most 30 (KEP-4568).
func (r *ready) refusal(env *sim.Env) *wire.Error {
	env.Reads(cellReady, 0)
	down := env.Now().Sub(r.changed).Milliseconds()
	i := 0
	for i < len(retryAfterSteps) && down >= retryAfterSteps[i] {
		i++
	}
	return notReady[i]
}

func (r *ready) clone() ready {
	c := *r
	c.asking = slices.Clone(r.asking)
	return c
}

func (r *ready) cells(visit sim.CellVisitor) {
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

var notReady = func() (all [30]*wire.Error) {
	texts := [30]string{
		"1 s", "2 s", "3 s", "4 s", "5 s", "6 s", "7 s", "8 s", "9 s", "10 s",
		"11 s", "12 s", "13 s", "14 s", "15 s", "16 s", "17 s", "18 s", "19 s", "20 s",
		"21 s", "22 s", "23 s", "24 s", "25 s", "26 s", "27 s", "28 s", "29 s", "30 s",
	}
	for i := range all {
		all[i] = &wire.Error{Code: wire.TooManyRequests, Message: "storage is (re)initializing: retry after " + texts[i], RetryAfter: i + 1}
	}
	return all
}()
