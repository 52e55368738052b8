package prove

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSortedFileHasWhatWasMerged(t *testing.T) {
	dir := t.TempDir()
	f, all := newSorted(dir), map[uint64]bool{}
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, pageKeys - 1, 1, 5 * pageKeys, 1000, 3} {
		var keys []uint64
		for range n {
			// Some are neighbours.
			if key := random.Uint64() >> (random.IntN(2) * 53); !all[key] {
				all[key] = true
				keys = append(keys, key)
			}
		}
		require.NoError(t, f.merge(keys))
		require.Equal(t, len(all), f.count)
		for key := range all {
			for _, k := range []uint64{key - 1, key, key + 1} {
				found, err := f.has(k)
				require.NoError(t, err)
				require.Equal(t, all[k], found)
			}
		}
	}
	require.NoError(t, f.close())
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestSortedFileThatCannotBeReadIsAnError(t *testing.T) {
	f := newSorted(t.TempDir())
	require.NoError(t, f.merge([]uint64{1, 2, 3}))
	require.NoError(t, os.Truncate(f.file.Name(), 8))
	_, err := f.has(2)
	require.Error(t, err)
}
