package overlay

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// module makes a folder of modules with one file.
func module(t *testing.T, text string) string {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "k8s.io", "apiserver", "some.go")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return folder
}

// written writes a patch of that file, and reads it.
func written(t *testing.T, changes string) *Patch {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mine.patch")
	text := "What it is for.\n\n--- a/staging/src/k8s.io/apiserver/some.go\n+++ b/staging/src/k8s.io/apiserver/some.go\n" + changes
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	p, err := Find(path)
	require.NoError(t, err)
	p.origin = "mine.patch"
	return p
}

// TestPatchesAreMatchedByText: neither the numbers of lines nor their order in the file matter, and two patches of a
// file are applied one after the other.
func TestPatchesAreMatchedByText(t *testing.T) {
	folder := module(t, "one\n\ttwo\nthree\nfour\n")
	first := written(t, "@@ -70,1 +70,1 @@ func f() {\n-four\n+5\n@@\n one\n-\ttwo\n three\n")
	second := written(t, "@@\n+0\n one\n")
	require.Equal(t, "mine", first.Name)
	require.Equal(t, "What it is for.", first.About)
	got, err := Apply(folder, []*Patch{first, second})
	require.NoError(t, err)
	require.Equal(t, map[string]string{filepath.Join(folder, "k8s.io/apiserver/some.go"): "0\none\nthree\n5\n"}, got)
}

// TestPathsOfRepositories: those of etcd's repository are found in its modules, as those of Kubernetes' are.
func TestPathsOfRepositories(t *testing.T) {
	folder := t.TempDir()
	for path, want := range map[string]string{
		"server/storage/x.go": "server/v3/storage/x.go", "etcdutl/snapshot/x.go": "etcdutl/v3/snapshot/x.go", "api/x.go": "api/v3/x.go", "client/pkg/x.go": "client/pkg/v3/x.go",
		"client/v3/x.go": "client/v3/x.go", "raft/x.go": "raft/v3/x.go",
	} {
		at := filepath.Join(folder, "go.etcd.io", "etcd", want)
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
		require.NoError(t, os.WriteFile(at, []byte("one\n"), 0o644))
		p, err := parse("mine", "mine.patch", "diff --git a/"+path+" b/"+path+"\n--- a/"+path+"\n+++ b/"+path+"\n@@ -1 +1 @@\n-one\n+2\n")
		require.NoError(t, err)
		got, err := Apply(folder, []*Patch{p})
		require.NoError(t, err)
		require.Equal(t, map[string]string{at: "2\n"}, got)
	}
}

// TestPatchesThatDoNotApply: one line says which file and which change, and what to do.
func TestPatchesThatDoNotApply(t *testing.T) {
	for changes, want := range map[string]string{
		"@@\n-gone\n+new\n": `mine.patch does not apply any more: k8s.io/apiserver/some.go has "gone" and what follows it in the patch 0 times, and not once: write the change anew for this version`,
		"@@\n-one\n+new\n":  `mine.patch does not apply any more: k8s.io/apiserver/some.go has "one" and what follows it in the patch 2 times, and not once: write the change anew for this version`,
		// A line is matched as a whole.
		"@@\n-wo\n+new\n": `mine.patch does not apply any more: k8s.io/apiserver/some.go has "wo" and what follows it in the patch 0 times, and not once: write the change anew for this version`,
		"--- a/staging/src/k8s.io/other/some.go\n+++ b/staging/src/k8s.io/other/some.go\n@@\n-one\n+new\n": `mine.patch changes k8s.io/other/some.go, which is not in the guest: take it out of the patch if the guest does without`,
	} {
		_, err := Apply(module(t, "one\ntwo\none\n"), []*Patch{written(t, changes)})
		require.EqualError(t, err, want)
	}
}

// TestWhatIsNoPatch: one line says so.
func TestWhatIsNoPatch(t *testing.T) {
	const header = "--- a/staging/src/k8s.io/apiserver/some.go\n+++ b/staging/src/k8s.io/apiserver/some.go\n"
	for text, want := range map[string]string{
		"some words\n": "mine.patch changes no file of a module: it is to be a unified diff, with lines such as --- a/staging/src/k8s.io/apiserver/pkg/storage/cacher/cacher.go",
		// Tests are not in a guest.
		"--- a/some_test.go\n+++ b/some_test.go\n@@\n-a\n+b\n": "mine.patch changes no file of a module: it is to be a unified diff, with lines such as --- a/staging/src/k8s.io/apiserver/pkg/storage/cacher/cacher.go",
		header + "@@\n-one\ntwo\n":                             `mine.patch, line 5: "two" is in a change and begins with none of blank, - and +`,
		header + "@@\n+one\n":                                  "mine.patch: a change of k8s.io/apiserver/some.go has no line of the file by which it could be found: give it one",
		"--- /dev/null\n+++ b/some.go\n@@\n+package some\n":    "mine.patch, line 1: it adds a file, and patches of a guest change files that are there",
	} {
		_, err := parse("mine", "mine.patch", text)
		require.EqualError(t, err, want)
	}
	for text, line := range map[string]string{
		// A line is missing, and one is there that was not counted.
		header + "@@ -1,3 +1,3 @@\n one\n-two\n+2\n":                          "mine.patch, line 3: \"@@ -1,3 +1,3 @@\"",
		header + "@@ -1 +1,2 @@ func f() {\n-one\n+1\n-two\n+2\n":             "mine.patch, line 3: \"@@ -1 +1,2 @@\"",
		header + "@@ -1,2 +1,2 @@\n one\n-two\n+2\n three\n":                  "mine.patch, line 3: \"@@ -1,2 +1,2 @@\"",
		header + "@@ -1,3 +1,2 @@\n one\n-two\n@@ -9,1 +8,2 @@\n nine\n+10\n": "mine.patch, line 3: \"@@ -1,3 +1,2 @@\"",
		header + "@@ -1,3 +1,2 @@\n one\n-two\n-- \n2.43.0\n":                 "mine.patch, line 3: \"@@ -1,3 +1,2 @@\"",
	} {
		_, err := parse("mine", "mine.patch", text)
		require.ErrorContains(t, err, line, text)
	}
	// Wherever a change ends, its numbers are to be those of its lines.
	const other = "--- a/k8s.io/x.go\n+++ b/k8s.io/x.go\n@@ -1,1 +1,2 @@\n x\n+y\n"
	for _, behind := range []string{"", "-- \n2.43.0\n\n", "@@\n x\n+y\n", "diff --git a/x b/x\n" + other, other} {
		for before := range 6 {
			for after := range 6 {
				_, err := parse("mine", "mine.patch", fmt.Sprintf(header+"@@ -1,%d +1,%d @@\n one\n\n-two\n+2\n+3\n four\n", before, after)+behind)
				if before == 4 && after == 5 {
					require.NoError(t, err, behind)
				} else {
					require.ErrorContains(t, err, fmt.Sprintf("mine.patch, line 3: \"@@ -1,%d +1,%d @@\" of k8s.io/apiserver/some.go does not fit", before, after), behind)
				}
			}
		}
	}
	_, err := parse("mine", "mine.patch", header+"@@ -1,2 +1,1 @@\n one\n-two\n\n@@\n x\n+y\n")
	require.ErrorContains(t, err, "does not fit", "an empty line may be one of the change")
	for _, odd := range []string{"@@ -1,3 +1,x @@", "@@ -1,3", "@@@ -1,3 -1,3 +1,4 @@@"} {
		_, err := parse("mine", "mine.patch", header+odd+"\n one\n-two\n+2\n")
		require.EqualError(t, err, "mine.patch, line 3: \""+odd+"\" begins a change of k8s.io/apiserver/some.go, and is to be like @@ -10,6 +10,7 @@, or @@ alone")
	}
	_, err = Find("12345")
	require.ErrorContains(t, err, "there is no patch 12345: want one of 116172, ")
}

// TestUndonePatchesSayWhatTheyAreFor: each is read, and begins with the issue or the pull request of upstream, of
// which a name may have one of several parts.
func TestUndonePatchesSayWhatTheyAreFor(t *testing.T) {
	require.NotEmpty(t, Names())
	for _, name := range Names() {
		p, err := Find(name)
		require.NoError(t, err)
		require.Equal(t, name, p.Name)
		newer, err := Find(name, "v0.38")
		require.NoError(t, err)
		require.Equal(t, p.About, newer.About)
		number, _, _ := strings.Cut(name, "-")
		require.Regexp(t, `^(kubernetes/kubernetes#`+number+`[:,]|Of upstream's suite, no bug that was:)`, p.About)
	}
}

// TestPatchesEndWhereTheyEnd: one of git format-patch at its signature, and one that was cut off is refused.
func TestPatchesEndWhereTheyEnd(t *testing.T) {
	p := written(t, "@@ -1,2 +1,2 @@\n one\n-two\n+2\n-- \n2.43.0\n\n")
	require.Equal(t, []replaced{{old: "one\ntwo\n", new: "one\n2\n"}}, p.files[0].changes)
	// What follows the lines that were counted is none of the change, and one of these may look like a header.
	p = written(t, "@@ -1,3 +1,2 @@\n one\n--- two\n three\n\nThe end.\n")
	require.Equal(t, []replaced{{old: "one\n-- two\nthree\n", new: "one\nthree\n"}}, p.files[0].changes)
	_, err := parse("mine", "mine.patch", "--- a/k8s.io/some.go\n+++ b/k8s.io/some.go\n@@ -1,2 +1,2 @@\n one\n-tw")
	require.EqualError(t, err, `mine.patch, line 5: "-tw" is in a change and has no end: the patch was cut off`)
}
