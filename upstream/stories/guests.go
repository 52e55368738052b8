package stories

import (
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/sim/option"

	"github.com/watchbed/watchbed/upstream/guests"
)

// digestOf begins the name of a parameter that has the digest of a compiled guest.
const digestOf = "digest of "

// Digests are parameters of a recording: the digest of each compiled guest.
func Digests(names ...string) (all []option.Setting) {
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		// The guest was loaded. One that is gone since then is not checked when the run is carried out again.
		if digest, _, err := digest(name); err == nil {
			all = append(all, option.Setting{Name: digestOf + name, Value: digest})
		}
	}
	return all
}

func digest(name string) (digest, path string, err error) {
	directory, err := guests.Directory()
	if err != nil {
		return "", "", err
	}
	path = guests.Path(directory, name)
	wasm, err := os.ReadFile(path)
	return fmt.Sprintf("%.8x", sha256.Sum256(wasm)), path, err
}

// Parameters are those of a recording without the digests of guests. It is an error if a guest is another one now. A guest that is not there is not looked at, nor one whose digest was not
// recorded.
func Parameters(rec *recording.Recording) (rest []option.Setting, err error) {
	for _, p := range rec.Parameters {
		name, is := strings.CutPrefix(p.Name, digestOf)
		if !is {
			rest = append(rest, p)
			continue
		}
		if got, path, err := digest(name); err == nil && got != p.Value {
			return nil, fmt.Errorf("%s is another guest than the one of the recorded run: its digest is %s, and %s was recorded", path, got, p.Value)
		}
	}
	return rest, nil
}
