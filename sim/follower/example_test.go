package follower_test

import (
	"fmt"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/follower"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// A cache of one's own lists once, watches, and answers from its contents without waiting. Its name stands beside ours
// in every command of a program that imports the package.
func ExampleNew() {
	cache.RegisterDesign(cache.Design{
		Preset: option.Preset{Name: "example-cache", Doc: "lists once, watches, and never waits"},
		New: func(c cache.Config) sim.Node {
			return follower.New(c, func(f *follower.Follower, _ *sim.Env, l *wire.ListRequest) sim.Payload { return f.Contents(l.Prefix) })
		},
	})
	design, err := cache.FindDesign("example-cache")
	fmt.Println(design.Doc, err)
	// Output: lists once, watches, and never waits <nil>
}
