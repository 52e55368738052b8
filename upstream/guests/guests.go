// Package guests is the folder of the compiled guests: where make upstream puts them, and where
// simrun finds them. It must never import any other package of this module.
package guests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Directory is the one of the user's cache that the guests are in. WATCHBED_GUESTS names
// another one.
func Directory() (string, error) {
	if d := os.Getenv("WATCHBED_GUESTS"); d != "" {
		return d, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("where compiled guests are is not known, set WATCHBED_GUESTS: %w", err)
	}
	return filepath.Join(cache, "watchbed", "guests"), nil
}

const extension = ".wasm"

// Path is that of the guest of a name.
func Path(directory, name string) string { return filepath.Join(directory, name+extension) }

// OriginPath is that of the file which says what the guest of a name is made from.
func OriginPath(directory, name string) string { return filepath.Join(directory, name+".origin") }

// Names are the guests in a directory.
func Names(directory string) []string {
	files, err := filepath.Glob(filepath.Join(directory, "*"+extension))
	if err != nil {
		return nil
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), extension)
	}
	return files
}

// Cluster is how the names of guests begin that are whole servers.
const Cluster = "cluster@"

// Minor is the minor version of a release that is a whole server.
func Minor(guest string) (n int, known bool) {
	_, err := fmt.Sscanf(guest, Cluster+"v3.%d.", &n)
	return n, err == nil
}

// Apart reports releases that etcd does not let be members of one cluster: those that are two minor versions apart.
func Apart(members []string) error {
	for i, one := range members {
		a, known := Minor(one)
		for _, other := range members[:i] {
			if b, too := Minor(other); known && too && max(a-b, b-a) > 1 {
				return fmt.Errorf("%s and %s are two minor versions apart, or more: etcd lets one be in a cluster", other, one)
			}
		}
	}
	return nil
}
