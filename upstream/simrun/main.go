// Simrun with the code that ships beside the simulated caches: all that the root module registers, the compiled
// guests as designs, and two beds: clusters of etcd (simrun cluster), and packages of a user's own.
package main

import (
	"context"
	"os"

	"github.com/watchbed/watchbed/command"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"

	"github.com/watchbed/watchbed/upstream/clusterbed"
	_ "github.com/watchbed/watchbed/upstream/designs"
	"github.com/watchbed/watchbed/upstream/stories"
)

func main() {
	cluster := bed("cluster", clusterbed.Recorded)
	cluster.Command = clusterCommand
	os.Exit(command.Main(goFlags(os.Args[1:]), cluster, command.Bed{Kind: "test", Command: testCommand}, command.Bed{Kind: "ci", Command: ciCommand}))
}

func bed(kind string, recorded func(*recording.Recording) (func() explore.Subject, error)) command.Bed {
	return command.Bed{
		Kind: kind,
		Replay: func(rec *recording.Recording) (string, error) {
			subjects, err := recorded(rec)
			if err != nil {
				return "", err
			}
			run, err := stories.Replay(subjects, rec)
			if err != nil {
				return "", err
			}
			return run.String(), nil
		},
		Shrink: func(ctx context.Context, rec *recording.Recording, f explore.Failure, runs int) (*recording.Shrunk, error) {
			subjects, err := recorded(rec)
			if err != nil {
				return nil, err
			}
			run, err := stories.Shrink(ctx, subjects, rec, f, runs)
			if err != nil {
				return nil, err
			}
			return &run.Shrunk, nil
		},
	}
}
