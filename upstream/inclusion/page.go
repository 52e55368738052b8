package main

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/upstream/traces"
)

const head = `# What clients of a released etcd are answered, and what those of the simulated one are

In small worlds the simulated etcd is searched exhaustively: every trace that any of its schedules shows, with the options of the release and no race masked. A trace is
all that clients are told: each response of each stream in order, with its header revision, and the answers to calls. The code of the release takes %d random
schedules (fewer in the last two worlds), in a quarter of which goroutines switch where they block, and in the others at locks, too. Then each trace that is
missing is searched for: a step behind which it cannot come any more is taken back.

` + "`go run ./inclusion`" + ` in the folder upstream measures it and writes inclusion.json, of which ` + "`go run ./inclusion -page`" + ` prints this page; ` + "`go run ./inclusion NAME`" + ` measures one world again.

- **The code alone**: traces of the released code that the simulated server cannot show: mistakes of the simulation. There %s.
- **With preemption**: a thread of a server can be preempted anywhere. A goroutine of the guest stops where it blocks, and beside others that can run where it takes a
  lock. The code shows these traces if its goroutines also give way in some places of its watch server (etcd@VERSION+preempted, of testdata), and was not
  seen to show them otherwise.
- **Simulated alone**: traces of the simulated server that the code did not show even so. There are %d of %d. Either the simulated server
  can do more than etcd, or these schedules were too few: the rarer a trace is the more it takes.
- **Once**: traces that one random schedule showed. Divided by the schedules that is about how likely the next one shows a new trace.

| world | etcd | simulated traces | states | traces of the code | once | searched for and found | with preemption | the code alone | simulated alone |
|---|---|---|---|---|---|---|---|---|---|
`

// render is the page.
func render(rows []row) (string, error) {
	var b strings.Builder
	code, alone, all := 0, 0, 0
	for i := range rows {
		r := &rows[i]
		code, alone, all = code+len(r.ReleasedOnly), alone+len(r.SimulatedOnly), all+r.Simulated
	}
	fmt.Fprintf(&b, head, schedules, traces.Are(code), alone, all)
	for i := range rows {
		r := &rows[i]
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d in %d | %d | %d | %d | %d | %d |\n", r.World, r.Etcd, r.Simulated, r.States, r.Released, r.Schedules,
			r.Once, r.Reached, r.Preempted, len(r.ReleasedOnly), len(r.SimulatedOnly))
	}
	b.WriteString("\n## The worlds\n\n| | |\n|---|---|\n")
	for _, of := range worlds {
		fmt.Fprintf(&b, "| %s | %s |\n", of.Name, of.Doc)
	}
	var ofCode, ofSimulated []traces.Listed
	for i := range rows {
		r := &rows[i]
		world := r.World + " on etcd " + r.Etcd
		ofCode = append(ofCode, traces.Listed{World: world, Traces: r.ReleasedOnly})
		ofSimulated = append(ofSimulated, traces.Listed{World: world, Traces: r.SimulatedOnly})
	}
	traces.List(&b, "The code alone", ofCode)
	traces.List(&b, "Simulated alone", ofSimulated)
	return b.String(), nil
}
