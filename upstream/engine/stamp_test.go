package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStamp: a guest says which version of the protocol it speaks, and one without a stamp says 0.
func TestStamp(t *testing.T) {
	empty := []byte("\x00asm\x01\x00\x00\x00")
	version, err := Stamped(empty)
	require.NoError(t, err)
	require.Zero(t, version)
	stamped := Stamp(empty, 300)
	version, err = Stamped(stamped)
	require.NoError(t, err)
	require.Equal(t, uint64(300), version)
	for _, cut := range [][]byte{nil, []byte("\x7fELF0123"), stamped[:len(stamped)-1]} {
		_, err = Stamped(cut)
		require.EqualError(t, err, "not a WebAssembly module, or one that was cut off")
	}
}
