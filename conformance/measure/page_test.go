package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/watchbed/watchbed/conformance/realetcd"
)

// The page has a row for each version, and no difference without a reason.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(realetcd.Root(), "conformance", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), begin)
	figures, _, _ := strings.Cut(rest, end)
	rows := strings.Split(strings.TrimSpace(figures), "\n")[2:]
	if want := realetcd.Compared(); len(rows) != len(want) {
		t.Fatalf("%d rows, want one for each of %v", len(rows), want)
	}
	for i, version := range realetcd.Compared() {
		cells := strings.Split(strings.Trim(rows[i], "| "), " | ")
		if cells[0] != version {
			t.Errorf("row %d is about %s, want %s", i, cells[0], version)
		}
		for _, column := range []int{6, 9} {
			if cells[column] != "0" {
				t.Errorf("etcd %s: %s in column %d of %s, want 0", version, cells[column], column, rows[i])
			}
		}
	}
}

func TestWriteKeepsTheRest(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("before\n"+begin+"old\n"+end+"after\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := comparison{version: "3.5.7"}
	r.requests.Requests = 1234567
	if err := writePage(page, []comparison{r}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	got := string(text)
	if !strings.HasPrefix(got, "before\n"+begin+"| etcd |") || !strings.HasSuffix(got, "\n"+end+"after\n") || strings.Contains(got, "old") ||
		!strings.Contains(got, "| 3.5.7 | 1,234,567 | 0 |") {
		t.Errorf("got:\n%s", got)
	}
	if err := os.WriteFile(page, []byte("before\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writePage(page, []comparison{r}); err == nil {
		t.Error("a page without the lines was written")
	}
}
