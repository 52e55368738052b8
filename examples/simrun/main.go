// Simrun with two designs, a scenario, a property and an option of one's own, each in its file: everything that the
// program registers is in list, run, matrix, replay and shrink.
package main

import (
	"os"

	"github.com/watchbed/watchbed/command"
)

func main() { os.Exit(command.Main(os.Args[1:])) }
