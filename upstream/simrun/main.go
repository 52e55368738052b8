// Simrun with the code that ships beside the simulated caches: all that the root module
// registers, and the compiled guests as designs. Two beds are no scenarios: clusters of etcd (simrun cluster), and packages of a user's own. What they
// have recorded is replayed.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/watchbed/watchbed/command"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"

	"github.com/watchbed/watchbed/upstream/clientbed"
	"github.com/watchbed/watchbed/upstream/clusterbed"
	_ "github.com/watchbed/watchbed/upstream/designs"
	"github.com/watchbed/watchbed/upstream/stories"
)

func main() {
	for _, bed := range []func([]string) (int, bool){judgeCluster, replayBed} {
		if code, is := bed(os.Args[1:]); is {
			os.Exit(code)
		}
	}
	os.Exit(command.Main(os.Args[1:]))
}

// beds have recordings that are none of a scenario, by the kinds of their guests.
var beds = map[string]func(*recording.Recording) (func() explore.Subject, error){"client": clientbed.Recorded, "cluster": clusterbed.Recorded}

// replayBed carries out a recorded run of a bed again. It is false if the arguments ask for something else.
func replayBed(arguments []string) (code int, is bool) {
	if len(arguments) != 2 || arguments[0] != "replay" {
		return 0, false
	}
	rec, err := recording.Open(arguments[1])
	if err != nil {
		return 0, false
	}
	kind, _, _ := strings.Cut(rec.Scenario, "@")
	recorded := beds[kind]
	if recorded == nil {
		return 0, false
	}
	subjects, err := recorded(rec)
	if err != nil {
		return refuse(fmt.Errorf("%s: %w", arguments[1], err)), true
	}
	run, err := stories.Replay(subjects, rec)
	if err != nil {
		return refuse(fmt.Errorf("%s: %w", arguments[1], err)), true
	}
	fmt.Printf("%s\n\n%s\n\nThe same run to the bit: %d choices, trace hash %s.\n", strings.Join(run.Story, "\n"), run.Why, len(rec.Choices), rec.TraceHash)
	return 1, true
}
