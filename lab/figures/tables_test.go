package figures

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/testsize"
)

var updateFigures = flag.Bool("figures.update", false, "write the measured tables of the documents of the scenarios anew")

// table is one that a document has between its marks. Campaigns are deterministic, so
// that a figure that has changed is a table that is stale.
type table struct {
	name    string
	measure func(t *testing.T) string
}

// holdTables measures the tables of a document and compares them with what it has, or
// writes them:
//
//	go test ./figures -run TestFigures -figures.update
//
// Unless tests have their full size it holds the first table of the document only.
func holdTables(t *testing.T, file string, tables []table) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "scenarios", file))
	require.NoError(t, err)
	text := string(b)
	if !*updateFigures {
		tables = tables[:testsize.Of(len(tables), 1)]
	}
	for _, x := range tables {
		begin, end := "<!-- measured: "+x.name+" -->\n", "<!-- end -->\n"
		before, rest, found := strings.Cut(text, begin)
		require.True(t, found, begin)
		old, after, found := strings.Cut(rest, end)
		require.True(t, found, end)
		measured := x.measure(t)
		if !*updateFigures {
			require.Equal(t, measured, old, "table %q is stale: go test ./figures -run %s -figures.update", x.name, t.Name())
		}
		text = before + begin + measured + end + after
	}
	if *updateFigures {
		require.NoError(t, os.WriteFile(filepath.Join("..", "..", "scenarios", file), []byte(text), 0o644))
	}
}
