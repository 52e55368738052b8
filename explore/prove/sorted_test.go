package prove

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func keysOf(f keyForm, list ...key) (all keys) {
	for _, k := range list {
		all.append(f, k)
	}
	return all
}

func TestSortedFileHasWhatWasMerged(t *testing.T) {
	for _, wide := range []bool{false, true} {
		form := formOf(&Config{})
		form.wide = wide
		dir := t.TempDir()
		f, all := newSorted(dir, form), map[key]bool{}
		random := rand.New(rand.NewPCG(1, 2))
		for _, n := range []int{0, 1, pageKeys - 1, 1, 5 * pageKeys, 1000, 3} {
			var list []key
			for range n {
				// Some are neighbours. Of long keys many have the same first half.
				k := key{first: random.Uint64() >> (random.IntN(2) * 53)}
				if wide {
					k = key{first: random.Uint64() >> 60, second: k.first}
				}
				if !all[k] {
					all[k] = true
					list = append(list, k)
				}
			}
			require.NoError(t, f.merge(keysOf(form, list...)))
			require.Equal(t, len(all), f.count)
			for k := range all {
				for _, near := range []uint64{^uint64(0), 0, 1} {
					asked := key{first: k.first + near}
					if wide {
						asked = key{first: k.first, second: k.second + near}
					}
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
}

func TestSortedFileThatCannotBeReadIsAnError(t *testing.T) {
	form := formOf(&Config{})
	f := newSorted(t.TempDir(), form)
	require.NoError(t, f.merge(keysOf(form, key{first: 1}, key{first: 2}, key{first: 3})))
	require.NoError(t, os.Truncate(f.file.Name(), 8))
	_, err := f.has(key{first: 2})
	require.Error(t, err)
}
