package command_test

import (
	"fmt"
	"os"

	"github.com/watchbed/watchbed/command"
)

// ExampleMain is a main of one's own, which ends with os.Exit(command.Main(os.Args[1:])). What the packages that it
// imports register, such as a scenario, is in every subcommand.
func ExampleMain() {
	defer func(name string) { os.Args[0] = name }(os.Args[0])
	os.Args[0] = "bed"
	fmt.Println("exit code", command.Main([]string{"list", "random"}))
	// Output:
	// strategy random: random walk: every enabled action equally likely
	//
	// to use it: bed run SCENARIO --strategy random
	// exit code 0
}
