package node

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/guests"
)

// Load loads the guest of this name, and tries it. One that cannot be used is refused with one line that says what to
// do. speaks is the version of the protocol that it has to speak, begin the message with which its runs begin.
func Load(name string, speaks uint64, begin func(seed int64) []byte) (*engine.Module, error) {
	if plain, _, odd := strings.Cut(name, ":"); odd {
		may := ":locks"
		if strings.HasPrefix(plain, "kubernetes@") {
			may = ":locks, :late or :locks:late"
		}
		return nil, fmt.Errorf("%q is no guest: what may stand behind %s is %s", name, plain, may)
	}
	directory, err := guests.Directory()
	if err != nil {
		return nil, err
	}
	wasm, err := os.ReadFile(guests.Path(directory, name))
	if os.IsNotExist(err) {
		return nil, fmt.Errorf("the guest %s is not in %s: run \"make upstream GUEST=%s\" in the repository", name, directory, name)
	}
	if err != nil {
		return nil, fmt.Errorf("the guest %s cannot be read: %w", name, err)
	}
	switch version, err := engine.Stamped(wasm); {
	case err != nil:
		return nil, fmt.Errorf("the guest %s cannot be read: %w; run \"make upstream GUEST=%s\" again", name, err, name)
	case version != speaks:
		return nil, fmt.Errorf("the guest %s speaks version %d of the protocol and this program version %d: run \"make upstream GUEST=%s\" again", name, version, speaks, name)
	}
	m, err := engine.Load(wasm, filepath.Join(directory, "compiled"), engine.GuestMemory)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := selfTest(m, begin); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}
