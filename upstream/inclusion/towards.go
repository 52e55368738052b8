package main

import (
	"context"

	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/traces"
)

// lookahead is how many ways on are tried from a state before it counts as a dead end.
const lookahead = 6

// towards looks for a schedule of a release that shows a trace: random ones that take back each step behind which the trace can
// no longer become the one that is looked for.
func towards(ctx context.Context, roots []*sim.World, target traces.Trace, seeds int) (found bool, err error) {
	for seed := range seeds {
		c := traces.NewRandom(seed)
		w := &sim.World{}
		if err := roots[c.IntN(len(roots))].Fork(w); err != nil {
			return false, err
		}
		for w != nil && len(w.Enabled()) > 0 {
			if w, err = closer(w, target, c); err != nil {
				return false, err
			}
		}
		// No step is left: the trace is the target, or lacks some of it.
		if w != nil && traceOf(w).String() == target.String() {
			return true, nil
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
	return false, nil
}

// closer is a world one step on that can still show a trace, nil if none was found.
func closer(w *sim.World, target traces.Trace, c *traces.Random) (*sim.World, error) {
	for range lookahead {
		on := &sim.World{}
		if err := w.Fork(on); err != nil {
			return nil, err
		}
		list := next(on.Enabled())
		on.Do(c, list[c.Pick(on, list)])
		for list = next(on.Enabled()); len(list) > 0 && list[0].Kind == sim.Deliver && list[0].Node != etcdNode; list = next(on.Enabled()) {
			on.Do(c, list[0])
		}
		if traceOf(on).Begins(target) {
			return on, nil
		}
	}
	return nil, nil
}
