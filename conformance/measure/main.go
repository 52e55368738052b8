// Measure asks real servers, which must be built (make servers):
//
//	go run ./measure figures               compares them with the simulated ones: a quarter of an hour
//	go run ./measure listbench             LISTs from the cache and from etcd: a quarter of an hour, 4 GB
//	go run ./measure listbench -scale 0.01 a look at it
//	go run ./measure record [NAME ...]     makes recordings anew: histories, progress, bugs, created, behind, scripts
//
// Run it on an idle machine: progress depends on milliseconds.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
)

var programs = map[string]func(ctx context.Context, args []string) error{
	"figures": figures, "listbench": listbench, "record": record,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) < 2 || programs[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "measure: name figures, listbench or record")
		os.Exit(2)
	}
	if err := programs[os.Args[1]](ctx, os.Args[2:]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}
