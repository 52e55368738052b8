// Simrun explores the schedules of a scenario, replays and shrinks the runs that
// fail, and judges recorded histories. "simrun --help" says how.
//
// It is nothing but package command. A main of one's own that imports package
// command, and packages that register designs, scenarios, properties, bugs or
// options, has those everywhere as well.
package main

import (
	"os"

	"github.com/watchbed/watchbed/command"
)

func main() { os.Exit(command.Main(os.Args[1:])) }
