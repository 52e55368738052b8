package proofs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/report"
)

const (
	figuresFile = "proofs.json"
	storiesDir  = "stories"
)

// figures are what a search came to.
type figures struct {
	Verdict string
	// Why is that of an undecided search.
	Why                        string `json:",omitempty"`
	States, Transitions, Depth int
	// Vacuous are the claims that no step has put to the test.
	Vacuous []string `json:",omitempty"`
	// NotJudged are claims of the scenario that a search cannot judge.
	NotJudged []string `json:",omitempty"`
	// Violated is the property that a shortest schedule violates, Steps its length.
	Violated string `json:",omitempty"`
	Steps    int    `json:",omitempty"`
}

func figuresOf(p *proof.Proof) figures {
	f := figures{Verdict: p.Verdict, Why: p.Why, States: p.States, Transitions: p.Transitions, Depth: p.Depth, NotJudged: p.NotJudged}
	for _, c := range p.Claims {
		if p.Verdict == string(prove.Vacuous) && p.Checked[c] == 0 {
			f.Vacuous = append(f.Vacuous, c)
		}
	}
	if len(p.Failures) > 0 {
		f.Violated, f.Steps = p.Failures[0].Property, p.Failures[0].Steps
	}
	return f
}

// kept is what is written down, by the names of rows.
type kept struct {
	Proofs map[string]figures
}

func load(t *testing.T) *kept {
	t.Helper()
	k := &kept{Proofs: map[string]figures{}}
	text, err := os.ReadFile(figuresFile)
	if *updateProofs && os.IsNotExist(err) {
		return k
	}
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, k))
	return k
}

// write writes the figures of the rows that there are, and the table. Stories of other rows
// go.
func (k *kept) write(t *testing.T) {
	t.Helper()
	rows := map[string]figures{}
	for i := range promises {
		for _, r := range promises[i].rows() {
			if f, ok := k.Proofs[r.name()]; ok {
				rows[r.name()] = f
			}
		}
	}
	k.Proofs = rows
	text, err := json.MarshalIndent(k, "", "\t")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(figuresFile, append(text, '\n'), 0o644))
	require.NoError(t, os.WriteFile("README.md", []byte(k.readme()), 0o644))
	files, err := os.ReadDir(storiesDir)
	require.NoError(t, err)
	for _, f := range files {
		if !slices.Contains(k.stories(), f.Name()) {
			require.NoError(t, os.Remove(storiesDir+"/"+f.Name()))
		}
	}
}

// stories are the files that there must be, in order.
func (k *kept) stories() (files []string) {
	for i := range promises {
		for _, r := range promises[i].rows() {
			if k.Proofs[r.name()].Violated != "" {
				files = append(files, r.story())
			}
		}
	}
	slices.Sort(files)
	return files
}

const head = `# Proofs

What ` + "`simrun prove`" + ` has shown: it looks at every schedule within bounds, in place of a sample of them. "Proved" is meant
within the bounds of the row and of nothing beyond them. The bounds are the options of the workload, and how often each timer fires
that is not part of a client's plan; any armed timer may fire at any point, which is more than real time allows. A violation comes
with a shortest schedule there is, as a story.

A row is repeated by ` + "`simrun prove SCENARIO --etcd E --cache C --set OPTION --firings N`" + ` with what stands in it. ` + "`go test ./proofs`" + `
searches the small rows again and compares; ` + "`go test ./proofs -proofs.update`" + ` searches all of them and writes this page.
`

// readme is the table.
func (k *kept) readme() string {
	var b strings.Builder
	b.WriteString(head)
	for i := range promises {
		k.promise(&b, &promises[i])
	}
	return b.String()
}

func (k *kept) promise(b *strings.Builder, p *promise) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n", p.title, p.text)
	fmt.Fprintf(b, "Scenario: `%s`.%s\n", p.scenario.Name, k.notJudged(p))
	if p.wanted != "" {
		fmt.Fprintf(b, "Still too large: %s.\n", p.wanted)
	}
	b.WriteString("\n| bounds | firings | etcd | cache | verdict | covered |\n|---|---|---|---|---|---|\n")
	for _, r := range p.rows() {
		f, ok := k.Proofs[r.name()]
		if !ok {
			continue
		}
		fmt.Fprintf(b, "| %s | %d | %s | %s | %s | %s |\n", r.set, r.firings, r.etcd, r.design, f.verdict(storiesDir+"/"+r.story()), f.covered())
	}
}

// notJudged are the claims of a scenario that its searches leave out.
func (k *kept) notJudged(p *promise) string {
	for _, r := range p.rows() {
		if left := k.Proofs[r.name()].NotJudged; len(left) > 0 {
			return " Claims that a search does not judge: " + strings.Join(left, ", ") + "."
		}
	}
	return ""
}

func (f *figures) verdict(story string) string {
	switch prove.Verdict(f.Verdict) {
	case prove.Violated:
		return fmt.Sprintf("**violated**: %s, [%s](%s)", f.Violated, report.Counted(uint64(f.Steps), "step"), story)
	case prove.Undecided:
		return "undecided: " + f.Why
	case prove.Vacuous:
		return "vacuous: " + strings.Join(f.Vacuous, ", ")
	}
	return f.Verdict
}

func (f *figures) covered() string {
	return fmt.Sprintf("%s, %s, depth %d", report.Counted(uint64(f.States), "state"), report.Counted(uint64(f.Transitions), "transition"), f.Depth)
}
