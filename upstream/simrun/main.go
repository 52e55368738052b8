// Simrun with the code that ships beside the simulated caches: all that the root module
// registers, and the compiled guests as designs.
package main

import (
	"os"

	"github.com/watchbed/watchbed/command"

	_ "github.com/watchbed/watchbed/upstream/designs"
)

func main() { os.Exit(command.Main(os.Args[1:])) }
