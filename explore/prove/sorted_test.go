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
	f, all := newSorted(dir), map[key]bool{}
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, pageKeys - 1, 1, 5 * pageKeys, 1000, 3} {
		var list []key
		for range n {
			// Some are neighbours.
			if k := key(random.Uint64() >> (random.IntN(2) * 53)); !all[k] {
				all[k] = true
				list = append(list, k)
			}
		}
		require.NoError(t, f.merge(list))
		require.Equal(t, len(all), f.count)
		for k := range all {
			for _, asked := range []key{k - 1, k, k + 1} {
				found, err := f.has(asked)
				require.NoError(t, err)
				require.Equal(t, all[asked], found)
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
	require.NoError(t, f.merge([]key{1, 2, 3}))
	require.NoError(t, os.Truncate(f.file.Name(), 8))
	_, err := f.has(2)
	require.Error(t, err)
}
