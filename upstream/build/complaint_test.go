package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatDoesNotCompile: one line has what is wrong first, and says where the rest is.
func TestWhatDoesNotCompile(t *testing.T) {
	work := t.TempDir()
	said := "go: downloading example.com v1.0.0\n# k8s.io/apiserver/pkg/storage/cacher\nvendor/cacher.go:5:2: undefined: x\nvendor/cacher.go:6:2: undefined: y"
	err := doesNotCompile("kubernetes@mine", work, &complaint{said, errors.New("exit status 1")})
	path := filepath.Join(work, "compile.log")
	require.EqualError(t, err, "kubernetes@mine does not compile: vendor/cacher.go:5:2: undefined: x (line 1 of 2 in "+path+")")
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, said+"\n", string(kept))
	require.EqualError(t, &complaint{"", errors.New("exit status 1")}, "exit status 1")
	heading := "go: errors parsing go.mod:\ngo.mod:5:2: invalid version"
	require.EqualError(t, &complaint{heading, errors.New("exit status 1")}, "go: errors parsing go.mod: go.mod:5:2: invalid version")
}
