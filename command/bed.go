package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
)

// Bed explores what is no scenario, such as clusters of compiled etcd. Replay and shrink take what it has recorded.
type Bed struct {
	// Kind is how the names in its recordings begin, up to an @.
	Kind string
	// Command explores it; nil is none. Its errors are bad usage, but for those of Exit.
	Command func() *cobra.Command
	// Replay carries out a recorded run again, and says what happens in it.
	Replay func(*recording.Recording) (story string, err error)
	// Shrink makes one smaller that fails in this way, in so many runs at most. The story is in what is recorded.
	Shrink func(context.Context, *recording.Recording, explore.Failure, int) (*recording.Shrunk, error)
}

// shrinkRunsOfBed is how many runs shrink takes by default, where one takes a second or so.
const shrinkRunsOfBed = 1000
