package overlay

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatFails: one line has what is wrong first, down to its cause, and says where the rest is.
func TestWhatFails(t *testing.T) {
	work := t.TempDir()
	path := filepath.Join(work, "complaint.log")
	for said, want := range map[string]string{
		"go: downloading example.com v1.0.0\n# k8s.io/apiserver/pkg/storage/cacher\nvendor/cacher.go:5:2: undefined: x\nvendor/cacher.go:6:2: undefined: y": "it fails: vendor/cacher.go:5:2: undefined: x (more in " + path + ")",
		"go: finding module for package a\ngo: guest imports\n\tb imports\n\ta: cannot find module providing package a":                                     "it fails: go: guest imports b imports a: cannot find module providing package a",
		"go: guest tested by\n\tguest.test imports\n\ta: no module a\ngo: guest imports\n\tb: no module b":                                                  "it fails: go: guest tested by guest.test imports a: no module a (more in " + path + ")",
		"go: errors parsing go.mod:\ngo.mod:5:2: invalid version":                                                                                           "it fails: go: errors parsing go.mod: go.mod:5:2: invalid version",
		"x.go:1:2: not enough arguments\n\thave (int)\n\twant (int, int)":                                                                                   "it fails: x.go:1:2: not enough arguments have (int) want (int, int)",
		"": "it fails: exit status 1",
	} {
		require.NoError(t, os.RemoveAll(path))
		require.EqualError(t, Logged("it fails", work, &Complaint{said, errors.New("exit status 1")}), want)
		if kept, err := os.ReadFile(path); err == nil {
			require.Equal(t, said+"\n", string(kept))
		} else {
			require.NotContains(t, want, path)
		}
	}
}
