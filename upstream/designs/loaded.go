package designs

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/node"
)

// loaded is a compiled guest, which is loaded when it is first used. Designs that differ in how it is scheduled share it.
type loaded struct {
	module func() (*engine.Module, error)
}

var guestsByName = struct {
	sync.Mutex
	of map[string]*loaded
}{of: map[string]*loaded{}}

// loadedOf is the guest of this name. speaks is the version of the protocol that it has to speak, begin the message with which its runs begin.
func loadedOf(name string, speaks uint64, begin func(seed int64) []byte) *loaded {
	guestsByName.Lock()
	defer guestsByName.Unlock()
	l := guestsByName.of[name]
	if l == nil {
		l = &loaded{sync.OnceValues(func() (*engine.Module, error) { return load(name, speaks, begin) })}
		guestsByName.of[name] = l
	}
	return l
}

// new returns a guest in the state from which each run begins.
func (l *loaded) new() *engine.Guest {
	m, err := l.module()
	if err != nil {
		refuse(err)
	}
	g, err := m.NewGuest()
	if err != nil {
		refuse(err)
	}
	return g
}

// refuse ends the program with one line: a design has no other way to say that it cannot be used.
func refuse(err error) {
	fmt.Fprintln(os.Stderr, "simrun: "+err.Error())
	os.Exit(2)
}

// load loads a guest, and tries it.
func load(name string, speaks uint64, begin func(seed int64) []byte) (*engine.Module, error) {
	directory, err := guests.Directory()
	if err != nil {
		return nil, err
	}
	wasm, err := os.ReadFile(guests.Path(directory, name))
	if err != nil {
		return nil, fmt.Errorf("the guest %s is not compiled: run \"make upstream GUEST=%s\" in the repository", name, name)
	}
	switch version, err := engine.Stamped(wasm); {
	case err != nil:
		return nil, fmt.Errorf("the guest %s cannot be read: %w; run \"make upstream GUEST=%s\" again", name, err, name)
	case version != speaks:
		return nil, fmt.Errorf("the guest %s speaks version %d of the protocol and this program version %d: run \"make upstream GUEST=%s\" again", name, version, speaks, name)
	}
	m, err := engine.Load(wasm, filepath.Join(directory, "compiled"))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := node.SelfTest(m, begin); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}
