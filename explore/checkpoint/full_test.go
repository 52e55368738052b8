package checkpoint

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// What was written before the disk was full is whole.
func TestFullDiskKeepsWhatIsThere(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no device that is full")
	}
	defer full.Close()
	dir, parts := t.TempDir(), 0
	l, err := Open(dir, nil, nil)
	require.NoError(t, err)
	require.NoError(t, l.Append(Part{States: []byte("one"), Graph: []byte("one"), Now: []byte("1")}))
	file := l.file
	l.file = full
	require.ErrorContains(t, l.Append(Part{States: []byte("two"), Graph: []byte("two"), Now: []byte("2")}),
		"cannot write "+dir+", where the search is kept: no space left on device")
	require.NoError(t, file.Close())
	l, err = Open(dir, nil, func(Part) error { parts++; return nil })
	require.NoError(t, err)
	l.Close()
	require.Equal(t, 1, parts)
}
