package claims

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("figures.update", false, "write figures.md anew")

const preface = `# The figures of the documents

Every number in the five documents that watchbed was built from, beside what the bed
measures. Written by

    go test ./diagnosis/claims -run TestFiguresTable -figures.update

and held by the same test: campaigns are measured again each time, by the same seeds.
A figure that is *adopted* is a choice of its document, and the bed has it where the
table says. One that is *not measurable here* is about something that does not exist in
virtual time, and the table says what.
`

// TestFiguresTable: the table in the repository is what is measured today.
func TestFiguresTable(t *testing.T) {
	text := preface + Markdown(Figures(measureAll(t)))
	if *update {
		require.NoError(t, os.WriteFile("figures.md", []byte(text), 0o644))
	}
	have, err := os.ReadFile("figures.md")
	require.NoError(t, err)
	require.Equal(t, text, string(have), "write it anew: go test ./diagnosis/claims -run TestFiguresTable -figures.update")
}

// TestFiguresHaveTheirSection: each figure is in a section of its document, and each
// says what is behind its verdict.
func TestFiguresHaveTheirSection(t *testing.T) {
	files := map[string]string{
		kep2340: "kep-2340-consistent-reads-from-cache", draft2019: "kep-2340-first-draft-2019", kep3157: "kep-3157-watch-list",
		kep4988: "kep-4988-snapshottable-cache", article: "list-consistent-read-blog",
	}
	figures := Figures(measureAll(t))
	measuredBy := map[string]bool{}
	for i := range figures {
		f := &figures[i]
		text, err := os.ReadFile(filepath.Join("..", "..", "scenarios", "testdata", "sections", files[f.Document]+".txt"))
		require.NoError(t, err)
		assert.Contains(t, strings.Split(string(text), "\n"), f.Section, f.Says)
		measuredBy[f.Document+f.Says] = true
		switch f.Verdict {
		case BorneOut, Contradicted:
			assert.NotEmpty(t, f.Measured, f.Says)
			assert.NotEmpty(t, f.Why, f.Says)
			assert.NotEmpty(t, f.Command, f.Says)
		case Adopted:
			assert.NotEmpty(t, f.Measured, f.Says)
		case NotMeasurable:
			assert.NotEmpty(t, f.Why, f.Says)
		default:
			assert.Fail(t, "no verdict", f.Says)
		}
		assert.NotContains(t, f.Measured+f.Why+f.Says+f.Command, "|", "the end of a cell")
	}
	for i := range All() {
		assert.True(t, measuredBy[All()[i].Document+All()[i].Says], "no row for: %s", All()[i].Says)
	}
}

var tested = regexp.MustCompile(`go test (\S+) -run (Test\w+)`)

// TestCommandsOfFiguresRunATest: each test that a command names is in the package that
// it names.
func TestCommandsOfFiguresRunATest(t *testing.T) {
	for _, f := range Figures(nil) {
		for _, m := range tested.FindAllStringSubmatch(f.Command, -1) {
			folder := filepath.Join("..", "..", m[1])
			if strings.Contains(f.Command, "cd conformance") {
				folder = filepath.Join("..", "..", "conformance", m[1])
			}
			files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
			require.NoError(t, err)
			found := false
			for _, file := range files {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				found = found || strings.Contains(string(text), "func "+m[2]+"(")
			}
			assert.True(t, found, "%s: no such test", f.Command)
		}
	}
}
