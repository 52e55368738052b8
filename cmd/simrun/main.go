// Simrun explores the schedules of a scenario, replays and shrinks the runs that
// fail, and judges recorded histories. "simrun --help" says how.
//
// The command must never import what opens sockets or talks to a real etcd: its
// cold start stays short.
package main

import (
	"context"
	"os"
	"os/signal"

	// What is registered: the catalogue, with every property, and the known bugs.
	_ "github.com/watchbed/watchbed/knownbugs"
	_ "github.com/watchbed/watchbed/properties"
	_ "github.com/watchbed/watchbed/scenarios"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	// The first interrupt stops cleanly; a second one finds nobody to catch it.
	context.AfterFunc(ctx, stop)
	streams := streams{in: os.Stdin, out: os.Stdout, err: os.Stderr, outFile: os.Stdout, errFile: os.Stderr}
	os.Exit(run(ctx, os.Args[1:], streams))
}
