// Simrun with campaigns that many machines carry out (simrun fleet).
package main

import (
	"os"

	"github.com/watchbed/watchbed/fleet"
)

func main() { os.Exit(fleet.Main(os.Args[1:])) }
