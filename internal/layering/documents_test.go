package layering

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pathName is a path of the repository between backticks.
var pathName = regexp.MustCompile("`([a-z]+(?:/[a-zA-Z0-9._-]+)*/?)`")

// Every folder and file that the documents name is there.
func TestDocumentsNamePathsThatExist(t *testing.T) {
	top, err := os.ReadDir("../..")
	require.NoError(t, err)
	folders := map[string]bool{}
	for _, d := range top {
		folders[d.Name()] = d.IsDir()
	}
	for _, name := range []string{"ARCHITECTURE.md", "CONTRIBUTING.md"} {
		text, err := os.ReadFile("../../" + name)
		require.NoError(t, err)
		found := 0
		for _, m := range pathName.FindAllStringSubmatch(string(text), -1) {
			path := strings.TrimSuffix(m[1], "/")
			first, _, below := strings.Cut(path, "/")
			if !below && !folders[path] {
				continue // a word, such as the name of a command
			}
			require.True(t, folders[first], "%s: there is no folder %s (%s)", name, first, path)
			_, err := os.Stat("../../" + path)
			require.NoError(t, err, "%s names %s", name, path)
			found++
		}
		require.Greater(t, found, 10, name)
	}
}

// The picture in ARCHITECTURE.md has a line for each folder with packages, from
// top to bottom in the order of layers: what a package imports stands below it.
func TestPictureShowsEveryFolderInTheOrderOfLayers(t *testing.T) {
	text, err := os.ReadFile("../../ARCHITECTURE.md")
	require.NoError(t, err)
	line := regexp.MustCompile(`(?m)^    ([a-z/]+?)/?  +\S`)
	place := map[string]int{}
	for i, m := range line.FindAllStringSubmatch(string(text), -1) {
		place[m[1]] = i
		require.DirExists(t, "../../"+m[1])
	}
	require.Greater(t, len(place), 10)
	g := load(t)
	// inPicture is the line that stands for a package: its own, or that of the folder
	// that it is in.
	inPicture := func(name string) (string, bool) {
		for ; name != "."; name = filepath.Dir(name) {
			if _, ok := place[name]; ok {
				return name, true
			}
		}
		return "", false
	}
	beside := []string{"internal"}
	for _, name := range g.ours() {
		first, _, _ := strings.Cut(name, "/")
		if matchesAny(beside, first) {
			continue
		}
		from, ok := inPicture(name)
		require.True(t, ok, "ARCHITECTURE.md does not show %s", name)
		for _, imported := range g[name].imports {
			to, ok := inPicture(imported)
			if ok && g[imported].ours && to != from {
				require.Less(t, place[from], place[to], "%s imports %s, which stands above it in the picture", name, imported)
			}
		}
	}
}
