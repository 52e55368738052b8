package native

import (
	"fmt"
	"strings"
)

// about stands above the table.
const about = `# The storage natively, and in WebAssembly

Kubernetes' cacher and etcd3 store and etcd's clientv3, v0.37.2, run in the bed as a guest: compiled for WebAssembly, with a Go runtime that is changed
so that the bed schedules goroutines. Here the same program (../apiserver) runs natively, as go test compiles it: the Go distribution is as it ships, and so are the
modules. It runs in a bubble of testing/synctest and in the same worlds: the simulated etcd, clients, faults and judges are those of the scenario, and
which message comes when, and what time it is, are chosen by the bed. Which goroutine runs next the native runtime decides, on all processors.

    make native                 # in the folder upstream: the tests
    make native-rates           # measures all of it, and writes this page; the guests of the rows have to be compiled

In %d schedules each, from seed 0 on, of the random walk (strategy random), a property is violated in so many, with the exact 95 %% interval in percent:
natively, in WebAssembly with goroutines and cases of select picked at random, and there with the first one picked in all cases. p is the probability of
rates that far apart if natively and at random are of one chance (Fisher's exact test, two-sided). With the first one picked the bed makes the choices that it makes
natively: the last column is how many of these schedules are the same natively, in all steps of all nodes and all messages with what is in them.
`

// reading stands below it.
const reading = `
Rows with a change have a bug that upstream mended, put back into both programs (../../overlay/undone). A bug in one of the two alone is
told apart: natively with the change against WebAssembly without it, and the other way, p is below %g in each of these rows (TestOneSidedChangeIsToldApart).

A native run cannot be repeated, recorded or shrunk. The one thing that is read out of the runtime is for when the next timer of a bubble is set. Kubernetes' feature gates are
those of a process, so that a world has one API server, and an API server that restarts is stopped first.
`

// render is the page.
func render(all []measured) string {
	var b strings.Builder
	fmt.Fprintf(&b, about, schedules)
	b.WriteString("\n| world | violated | natively | in WebAssembly, at random | p | in WebAssembly, the first | the same |\n|---|---|---|---|---|---|---|\n")
	agree, differ := 0, 0
	for i := range all {
		m := &all[i]
		var none []string
		for _, c := range m.Claims {
			if c.Native.Violated+c.Random.Violated+c.Served.Violated == 0 {
				agree++
				none = append(none, c.Property)
				continue
			}
			note := fmt.Sprintf("%.2g", c.p())
			if c.Native.differs(c.Random) {
				differ++
				note += ": " + reasons[[2]string{m.String(), c.Property}]
			} else {
				agree++
			}
			fmt.Fprintf(&b, "| %s | %s | %v | %v | %s | %v | %d |\n", m.String(), c.Property, c.Native, c.Random, note, c.Served, m.Same)
		}
		if len(none) > 0 {
			never := rate{0, schedules}
			fmt.Fprintf(&b, "| %s | %s | %v | %v | 1 | %v | %d |\n", m.String(), strings.Join(none, ", "), never, never, never, m.Same)
		}
	}
	fmt.Fprintf(&b, "\n%d rates agree, %d differ (p below %g).\n", agree, differ, unlikely)
	fmt.Fprintf(&b, reading, unlikely)
	return b.String()
}
