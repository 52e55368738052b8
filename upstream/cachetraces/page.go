package main

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/upstream/traces"
)

const head = `# What clients of the cacher that ships are told, and what those of the simulated cache are

In small worlds the simulated cache, design %s with reflector-list=watch-list, is searched exhaustively in front of the simulated etcd %s: every trace that any of its schedules
shows. A trace is all that clients are told: each event of each watch in order, and the answers to calls, with revisions. In front of the same etcd the guest %s takes %d random
schedules, in a third of which its goroutines switch where they block, in another third at locks, too, and in the last third those that can run may be late. Then each trace that is missing is searched for, in up to %d schedules
that take back a step behind which it cannot come any more. In these up to %d more timers fire: those of a guest go off in the order of their times.

The worlds have no clock. Clients begin when the cache serves, and dispatches events: the cacher looks every 10 ms whether it has listed, so that the guest's first timer has fired. As many timers fire from then on as the table says, in any order; a trace is taken where nothing but timers is left and all
calls are answered. ` + "`go run ./cachetraces`" + ` in the folder upstream measures it, and ` + "`go run ./cachetraces -page`" + ` prints this page; ` + "`go run ./cachetraces NAME`" + ` measures one world again.

- **The code alone**: traces of the released code that the simulated cache cannot show: mistakes of the simulation. There %s.
- **Simulated alone**: traces of the simulated cache that the code did not show. There %s of %d.
  Either the simulated cache can do more than the code, or these schedules were too few.
- **Once**: traces that one random schedule showed.

| world | timers | simulated traces | states | traces of the code | once | searched for and found | the code alone | simulated alone |
|---|---|---|---|---|---|---|---|---|
`

// render is the page.
func render(rows []row) (string, error) {
	var b strings.Builder
	code, alone, all := 0, 0, 0
	for i := range rows {
		r := &rows[i]
		code, alone, all = code+len(r.ReleasedOnly), alone+len(r.SimulatedOnly), all+r.Simulated
	}
	fmt.Fprintf(&b, head, simulated, etcdVersion, released, schedules, attempts, more, traces.Are(code), traces.Are(alone), all)
	for i := range rows {
		r := &rows[i]
		firings := 0
		if of := find(r.World); of != nil {
			firings = of.Firings
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d in %d | %d | %d | %d | %d |\n", r.World, firings, r.Simulated, r.States, r.Released, r.Schedules,
			r.Once, r.Reached, len(r.ReleasedOnly), len(r.SimulatedOnly))
	}
	b.WriteString("\n## The worlds\n\n| | |\n|---|---|\n")
	for _, of := range worlds {
		fmt.Fprintf(&b, "| %s | %s |\n", of.Name, of.Doc)
	}
	var ofCode, ofSimulated []traces.Listed
	for i := range rows {
		r := &rows[i]
		ofCode = append(ofCode, traces.Listed{World: r.World, Traces: r.ReleasedOnly})
		ofSimulated = append(ofSimulated, traces.Listed{World: r.World, Traces: r.SimulatedOnly})
	}
	traces.List(&b, "The code alone", ofCode)
	traces.List(&b, "Simulated alone", ofSimulated)
	return b.String(), nil
}
