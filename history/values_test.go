package history

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// TestValues: objects are told from what stands around them, however the bytes come.
func TestValues(t *testing.T) {
	const escaped = `{"a": "}\\\"{", "b": [{}, "\\\\"]}`
	text := "\ufeff[\n  " + escaped + ",\n\n{\n\"c\":\n1}]\na line\nlog:7: {} behind\nanother\n{\"cut\n{\"d\": 2}{\"e\":"
	want := []string{escaped, "{\n\"c\":\n1}", "{}", "{\"cut\n", `{"d": 2}`, `{"e":`}
	lines := []int64{2, 4, 8, 10, 11, 11}
	var found []string
	var at []int64
	all := func(object []byte, number int64) error {
		found, at = append(found, string(object)), append(at, number)
		return nil
	}
	v := NewValues(iotest.OneByteReader(strings.NewReader(text)), 1000, "")
	require.NoError(t, v.Each(all))
	require.Equal(t, want, found)
	require.Equal(t, lines, at)
	require.EqualValues(t, 2, v.Passed)
	require.EqualValues(t, 7, v.FirstPassed)

	v = NewValues(strings.NewReader("{}\n"+escaped), len(escaped)-1, "shorten it")
	require.EqualError(t, v.Each(all), "line 2: longer than 33 bytes: shorten it")
	v = NewValues(iotest.ErrReader(errors.New("gone")), 10, "")
	require.EqualError(t, v.Each(all), "line 1: gone")
}
