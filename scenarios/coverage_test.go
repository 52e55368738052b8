package scenarios

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/findings"
	"github.com/watchbed/watchbed/testbed"
)

var documents = flag.String("coverage.documents", "", "folder of the five documents: compare the lists of sections with them")

// coverageRow is one section of a document.
type coverageRow findings.Section

// coverage has the sections of each document, in order.
func coverage() (documents [][]coverageRow) {
	last := ""
	for _, s := range findings.Coverage() {
		if s.Document != last {
			last = s.Document
			documents = append(documents, nil)
		}
		d := &documents[len(documents)-1]
		*d = append(*d, coverageRow(s))
	}
	return documents
}

// sections are the lists of what the documents consist of, in the order of coverage.jsonl.
var sections = []string{
	"kep-2340-consistent-reads-from-cache", "kep-2340-first-draft-2019", "kep-3157-watch-list",
	"kep-4988-snapshottable-cache", "list-consistent-read-blog", later,
}

// later is the list of subjects, of documents that came when the bed was there.
const later = "later-documents"

// TestEverySectionIsCovered: each section has its row, and what a row names
// exists: a scenario of the catalogue, a property that one of the row's scenarios
// claims, a test or benchmark of this repository.
func TestEverySectionIsCovered(t *testing.T) {
	tests := testsOfTheRepository(t)
	rows := coverage()
	require.Len(t, rows, len(sections))
	for i, document := range sections {
		text, err := os.ReadFile(filepath.Join("testdata", "sections", document+".txt"))
		require.NoError(t, err)
		var have []string
		for _, r := range rows[i] {
			have = append(have, r.Section)
			r.check(t, document, tests)
		}
		require.Equal(t, strings.Split(strings.TrimSpace(string(text)), "\n"), have, document)
	}
}

// isHeading reports whether a section says nothing but what those below it say.
func (r *coverageRow) isHeading() bool { return strings.HasPrefix(r.Remarks, "a heading: ") }

func (r *coverageRow) outOfScope() bool { return strings.HasPrefix(r.Remarks, "out of scope because ") }

// isOpen reports whether a section is in scope, and nothing covers it so far.
func (r *coverageRow) isOpen() bool { return strings.HasPrefix(r.Remarks, "open: ") }

// TestEachSectionOutOfScopeHasItsOwnReason: one reason for many sections says that
// they were not read.
func TestEachSectionOutOfScopeHasItsOwnReason(t *testing.T) {
	const empty = "out of scope because the section is empty in the document"
	for i, rows := range coverage() {
		of := map[string]string{}
		for _, r := range rows {
			if !r.outOfScope() || r.Remarks == empty {
				continue
			}
			assert.Empty(t, of[r.Remarks], "%s: %q has the reason of another section", sections[i], r.Section)
			of[r.Remarks] = r.Section
		}
	}
}

func (r *coverageRow) check(t *testing.T, document string, tests []string) {
	what := document + ": " + r.Section
	if r.isHeading() || r.outOfScope() || r.isOpen() {
		assert.Empty(t, slices.Concat(r.Scenarios, r.Properties, r.Tests), "%s: covered or not?", what)
		return
	}
	assert.NotEmpty(t, slices.Concat(r.Scenarios, r.Tests), "%s: covered by nothing, and no reason", what)
	var claims []string
	for _, name := range r.Scenarios {
		sc, err := testbed.FindScenario(name)
		if assert.NoError(t, err, what) {
			claims = append(claims, testbed.Names(sc.Claims)...)
		}
	}
	for _, name := range r.Properties {
		assert.Contains(t, claims, name, "%s: none of its scenarios claims %s", what, name)
	}
	for _, name := range r.Tests {
		if strings.Contains(name, "/") {
			assert.FileExists(t, filepath.Join("..", name), what)
			continue
		}
		assert.True(t, slices.Contains(tests, name), "%s: there is no test %s", what, name)
	}
}

// testsOfTheRepository lists the tests and benchmarks of all modules.
func testsOfTheRepository(t *testing.T) (names []string) {
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)\w+)\(`)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			names = append(names, m[1])
		}
		return err
	})
	require.NoError(t, err)
	return names
}

// TestSectionsAreTheDocuments compares the lists with the documents themselves,
// where these are at hand: go test -coverage.documents=DIR.
func TestSectionsAreTheDocuments(t *testing.T) {
	if *documents == "" {
		t.Skip("no -coverage.documents")
	}
	heading := regexp.MustCompile(`(?m)^#+ +(.+?) *$`)
	for _, document := range sections {
		if document == later {
			continue
		}
		list, err := os.ReadFile(filepath.Join("testdata", "sections", document+".txt"))
		require.NoError(t, err)
		listed := strings.Split(strings.TrimSpace(string(list)), "\n")
		text, err := os.ReadFile(filepath.Join(*documents, document+".md"))
		require.NoError(t, err)
		for _, section := range listed {
			assert.Contains(t, string(text), section, document)
		}
		for i, m := range heading.FindAllStringSubmatch(string(text), -1) {
			title := i == 0 || m[1] == "Table of Contents" || strings.HasPrefix(m[1], "HELP ") || strings.HasPrefix(m[1], "TYPE ")
			assert.True(t, title || slices.Contains(listed, m[1]), "%s: %s", document, m[1])
		}
	}
}
