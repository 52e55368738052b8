// Simrun with the code that ships beside the simulated caches: all that the root module
// registers, and the compiled guests as designs. It also replays what package clientbed has recorded.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/watchbed/watchbed/command"
	"github.com/watchbed/watchbed/explore/recording"

	"github.com/watchbed/watchbed/upstream/clientbed"
	_ "github.com/watchbed/watchbed/upstream/designs"
)

func main() {
	if code, is := replayClient(os.Args[1:]); is {
		os.Exit(code)
	}
	os.Exit(command.Main(os.Args[1:]))
}

// replayClient carries out a recorded run of a client of etcd again, which is none of a scenario. It is false if the arguments ask for
// something else.
func replayClient(arguments []string) (code int, is bool) {
	if len(arguments) != 2 || arguments[0] != "replay" {
		return 0, false
	}
	rec, err := recording.Open(arguments[1])
	if err != nil || !strings.HasPrefix(rec.Scenario, "client@") {
		return 0, false
	}
	told, err := clientbed.Replay(rec)
	if err != nil {
		fmt.Fprintf(os.Stderr, "simrun: %s: %v\n", arguments[1], err)
		return 2, true
	}
	fmt.Printf("%s\n\n%s\n\nThe same run to the bit: %d choices, trace hash %s.\n", strings.Join(told.Story, "\n"), told.Why, len(rec.Choices), rec.TraceHash)
	return 1, true
}
