package engine

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPartsOfAWrite: all parts are written, one behind the other, and until one is not written as a whole. What is in
// the upper half of their number does not count.
func TestPartsOfAWrite(t *testing.T) {
	m := &machine{memory: &memory{bytes: make([]byte, 64)}}
	b := m.memory.bytes
	copy(b[32:], "abcdef")
	for i, part := range []struct{ at, length uint32 }{{34, 2}, {32, 1}, {33, 3}} {
		binary.LittleEndian.PutUint32(b[8*i:], part.at)
		binary.LittleEndian.PutUint32(b[8*i+4:], part.length)
	}
	room := 100
	var got string
	write := func(p []byte, done int64) (int, Errno) {
		require.EqualValues(t, len(got), done)
		n := min(len(p), room-len(got))
		got += string(p[:n])
		return n, 0
	}
	require.Zero(t, m.vectors(0, 7<<32|3, 48, write))
	require.Equal(t, "cdabcd", got)
	require.EqualValues(t, 6, binary.LittleEndian.Uint32(b[48:]))
	got, room = "", 3
	require.Zero(t, m.vectors(0, 3, 48, write))
	require.Equal(t, "cda", got)
	require.EqualValues(t, 3, binary.LittleEndian.Uint32(b[48:]))
	failing := func([]byte, int64) (int, Errno) { return 0, EIO }
	require.Equal(t, EIO, m.vectors(0, 3, 48, failing))
}
