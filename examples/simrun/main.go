// Simrun with a design, a scenario and an option of one's own: everything that the
// imported packages register is in list, run, matrix, replay and shrink.
package main

import (
	"os"

	"github.com/watchbed/watchbed/command"

	_ "github.com/watchbed/watchbed/examples/deafetcd"
	_ "github.com/watchbed/watchbed/examples/failover"
	_ "github.com/watchbed/watchbed/examples/impatient"
	_ "github.com/watchbed/watchbed/examples/naivecache"
)

func main() { os.Exit(command.Main(os.Args[1:])) }
