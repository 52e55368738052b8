package designs

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/node"
)

// guest is a compiled guest, which is loaded when it is first used. Designs that differ in how it is scheduled share
// it.
type guest struct {
	module func() (*engine.Module, error)
}

var guestsByName = struct {
	sync.Mutex
	of map[string]*guest
}{of: map[string]*guest{}}

// guestOf is the guest of this name. speaks is the version of the protocol that it has to speak, begin the message with
// which its runs begin.
func guestOf(name string, speaks uint64, begin func(seed int64) []byte) *guest {
	guestsByName.Lock()
	defer guestsByName.Unlock()
	g := guestsByName.of[name]
	if g == nil {
		g = &guest{sync.OnceValues(func() (*engine.Module, error) { return node.Load(name, speaks, begin) })}
		guestsByName.of[name] = g
	}
	return g
}

// new returns a guest in the state from which each run begins.
func (g *guest) new() *engine.Guest {
	m, err := g.module()
	if err != nil {
		refuse(err)
	}
	run, err := m.NewGuest()
	if err != nil {
		refuse(err)
	}
	return run
}

// refuse ends the program with one line, which begins with its name as all refusals do: a design has no other way to
// say that it cannot be used.
func refuse(err error) {
	fmt.Fprintln(os.Stderr, filepath.Base(os.Args[0])+": "+err.Error())
	os.Exit(2)
}
