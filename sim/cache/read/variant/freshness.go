package variant

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/read"
)

// The values of freshness that are no consistent reads from the cache.
var (
	FreshnessNone   = read.Freshnesses.Register("none", "it is answered at once with what the cache has, like one at resourceVersion 0", stale{})
	FreshnessDirect = read.Freshnesses.Register("direct", "etcd answers every LIST and GET", direct{})
)

// stale answers at once with what is there, as with resourceVersion "0".
type stale struct{}

// Bypasses implements read.Freshener.
func (stale) Bypasses() bool { return false }

// NeedsProgress implements read.Freshener.
func (stale) NeedsProgress() bool { return false }

// Begin implements read.Freshener.
func (stale) Begin(env *sim.Env, r *read.Read) { r.ReadAtOnce(env) }

// direct lets etcd answer every LIST and GET.
type direct struct{}

// Bypasses implements read.Freshener.
func (direct) Bypasses() bool { return true }

// NeedsProgress implements read.Freshener.
func (direct) NeedsProgress() bool { return false }

// Begin implements read.Freshener; it is never called.
func (direct) Begin(*sim.Env, *read.Read) {}
