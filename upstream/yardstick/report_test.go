package yardstick

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var writePage = flag.Bool("yardstick.update", false, "run upstream's tests against both caches, and write the page")

// differences are why a test comes to another result for our cache than for upstream's.
var differences = map[string]string{}

// TestPage runs upstream's tests of a storage against upstream's cacher and against the cache of this project, in the
// same harness and each on an etcd of its own, and writes the outcome to the page. A result that differs needs a
// reason, and a reason needs a difference: otherwise the test fails.
func TestPage(t *testing.T) {
	if !*writePage {
		t.Skip("-yardstick.update runs it: minutes")
	}
	var all [2]results
	for i, of := range []string{"cacher", "watchbed"} {
		var err error
		if all[i], err = run(of); err != nil {
			t.Fatal(err)
		}
		t.Log(of + ": " + all[i].String())
	}
	text, wrong := report(all[0], all[1])
	if err := os.WriteFile("README.md", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, line := range wrong {
		t.Error(line)
	}
}

const head = `# Upstream's own tests of a storage, against our cache

k8s.io/apiserver v0.37.2 has tests that any implementation of storage.Interface must pass (pkg/storage/testing). All that upstream runs against its
cacher are run here against the cache of this project (package shell, the state machine that the simulation explores) and against upstream's cacher,
in the same harness, each test on an etcd 3.7.0 of its own. ` + "`make yardstick`" + ` in the folder upstream runs both and writes this page.

The adapter (package yardstick) passes writes and reads that no cache answers to upstream's etcd3 store, as upstream's cacher does.
WatchFromZero wants a cache without the history of before a compaction. The harness starts both caches over there: only upstream's own package can take the events from its cacher.

| cache | results |
|---|---|
`

// report is the page, and what is wrong with the reasons.
func report(control, ours results) (text string, wrong []string) {
	var b strings.Builder
	fmt.Fprintf(&b, head+"| upstream's cacher | %s |\n| ours | %s |\n", control, ours)
	differ := map[string]bool{}
	var lines []string
	for _, test := range slices.Sorted(maps.Keys(union(control, ours))) {
		if control[test] == ours[test] || parentOfDifference(test, control, ours) {
			continue
		}
		differ[test] = true
		because := differences[test]
		if because == "" {
			because = "no reason is known"
			wrong = append(wrong, fmt.Sprintf("%s differs, and there is no reason for it", test))
		}
		lines = append(lines, fmt.Sprintf("| %s | %s | %s | %s |\n", strings.ReplaceAll(test, "|", "\\|"), orNone(control[test]), orNone(ours[test]), because))
	}
	for _, test := range slices.Sorted(maps.Keys(differences)) {
		if !differ[test] {
			wrong = append(wrong, fmt.Sprintf("there is a reason why %s differs, and it does not", test))
		}
	}
	if len(lines) == 0 {
		b.WriteString("\nNo result differs.\n")
		return b.String(), wrong
	}
	fmt.Fprintf(&b, "\n%d results differ. A test that differs only because one within it does is not counted again.\n\n| test | upstream's cacher | ours | why |\n|---|---|---|---|\n%s",
		len(lines), strings.Join(lines, ""))
	return b.String(), wrong
}

func orNone(action string) string {
	if action == "" {
		return "did not run"
	}
	return action
}

func union(a, b results) results {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// parentOfDifference reports whether a test differs since one within it does.
func parentOfDifference(test string, control, ours results) bool {
	for other := range union(control, ours) {
		if strings.HasPrefix(other, test+"/") && control[other] != ours[other] {
			return true
		}
	}
	return false
}
