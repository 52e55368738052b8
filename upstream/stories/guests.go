package stories

import (
	"crypto/sha256"
	"encoding/json"
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

// configuration is the name of the parameter that has the configuration of a bed.
const configuration = "config"

// Parameters are those of a recording: the configuration of a bed, as JSON, and the digest of each of its compiled
// guests.
func Parameters(config any, names ...string) []option.Setting {
	text, err := json.Marshal(config)
	if err != nil {
		// It has numbers and texts alone.
		panic(err)
	}
	all := []option.Setting{{Name: configuration, Value: string(text)}}
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

// Configuration is the configuration in a recording of that kind, as JSON. It is an error if a guest is another one
// now. A guest that is not there is not looked at, nor one whose digest was not recorded.
func Configuration(rec *recording.Recording, kind string) (text string, err error) {
	found := false
	for _, p := range rec.Parameters {
		name, is := strings.CutPrefix(p.Name, digestOf)
		switch {
		case p.Name == configuration:
			text, found = p.Value, true
		case !is:
			return "", fmt.Errorf("it is no recording of %s, but of %s", kind, rec.Scenario)
		default:
			if got, path, err := digest(name); err == nil && got != p.Value {
				return "", fmt.Errorf("%s is another guest than the one of the recorded run: its digest is %s, and %s was recorded", path, got, p.Value)
			}
		}
	}
	if !found {
		return "", fmt.Errorf("it is no recording of %s, but of %s", kind, rec.Scenario)
	}
	return text, nil
}
