package proofs_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/proofs"
	"github.com/watchbed/watchbed/report"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

const (
	figuresFile = "proofs.json"
	storiesDir  = "stories"
)

// figures are what a search came to.
type figures struct {
	// Asked is what simrun prove is asked for, of a known bug.
	Asked string `json:",omitempty"`
	// Part is the one of the table, from 1 on, Claims are those that the row names.
	Part    int      `json:",omitempty"`
	Claims  []string `json:",omitempty"`
	Verdict string
	// Why is that of an undecided search.
	Why                        string `json:",omitempty"`
	States, Transitions, Depth int
	// Vacuous are the claims that no step has put to the test.
	Vacuous []string `json:",omitempty"`
	// NotJudged are claims of the scenario that a search cannot judge.
	NotJudged []string `json:",omitempty"`
	// Situations are those that came about, of a search that continuous integration repeats.
	Situations situations `json:",omitempty"`
	// Violated is the property that a shortest schedule violates, Steps its length.
	Violated string `json:",omitempty"`
	Steps    int    `json:",omitempty"`
	// Loop is how many of the steps, at the end, can be repeated for ever.
	Loop int `json:",omitempty"`
	// Seconds are how long the search of larger bounds took, on the machine on which it was written.
	Seconds float64 `json:",omitempty"`
	// Shrunk is the number of steps of the run that shrinking makes within the same bounds, 0 if it
	// was given none.
	Shrunk int `json:",omitempty"`
	// Without is what the same bounds come to without the bug of the row.
	Without *without `json:",omitempty"`
}

// without is what a search came to for the promise that a bug breaks, where the bug is not planted.
type without struct {
	Verdict string
	Why     string `json:",omitempty"`
	States  int
	// Situations are those that came about, of a search that continuous integration repeats.
	Situations situations `json:",omitempty"`
}

// holds reports whether schedules put the promise to the test, and none was found in which anything but
// the bug breaks it.
func (w *without) holds() bool {
	return w.Verdict != string(prove.Violated) && w.Verdict != string(prove.Vacuous)
}

func (w *without) String() string {
	return w.Verdict + ", " + report.Counted(uint64(w.States), "state")
}

func figuresOf(p *proof.Proof) figures {
	f := figures{Verdict: p.Verdict, Why: p.Why, States: p.States, Transitions: p.Transitions, Depth: p.Depth, NotJudged: p.NotJudged}
	for _, c := range p.Claims {
		if p.Verdict == string(prove.Vacuous) && p.Checked[c] == 0 {
			f.Vacuous = append(f.Vacuous, c)
		}
	}
	f.Situations = situationsOf(p)
	if len(p.Failures) > 0 {
		f.Violated, f.Steps, f.Loop = p.Failures[0].Property, p.Failures[0].Steps, p.Failures[0].Loop
	}
	return f
}

// kept is what is written down: rows by their names, and known bugs by theirs.
type kept struct {
	Parts []proofs.Part
	// Situations are those of all rows: in the file a row has their numbers.
	Situations   []string
	Proofs, Bugs map[string]figures
	Unsearched   map[string]string
}

func load(t *testing.T) *kept {
	t.Helper()
	k := &kept{Proofs: map[string]figures{}, Bugs: map[string]figures{}}
	text, err := os.ReadFile(figuresFile)
	if *updateProofs && os.IsNotExist(err) {
		return k
	}
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, k))
	k.renameSituations(func(number string) string {
		i, err := strconv.Atoi(number)
		require.NoError(t, err)
		return k.Situations[i]
	})
	return k
}

// renameSituations changes what the rows call each situation.
func (k *kept) renameSituations(to func(string) string) {
	change := func(s situations) situations {
		names := s.names()
		for i := range names {
			names[i] = to(names[i])
		}
		return situations(strings.Join(names, betweenSituations))
	}
	for _, list := range []map[string]figures{k.Proofs, k.Bugs} {
		for name, f := range list {
			f.Situations = change(f.Situations)
			if f.Without != nil {
				w := *f.Without
				w.Situations = change(w.Situations)
				f.Without = &w
			}
			list[name] = f
		}
	}
}

// described is the table as the rows in Go say: what is promised, the rows that there are, and why bugs have none.
func (k *kept) described() *kept {
	d := &kept{Situations: k.Situations, Proofs: map[string]figures{}, Bugs: map[string]figures{}, Unsearched: map[string]string{}}
	for i := range promises {
		p := &promises[i]
		part := 0
		if p.title != "" {
			d.Parts = append(d.Parts, proofs.Part{Title: p.title, Text: p.text, Wanted: p.wanted})
			part = len(d.Parts)
		}
		for _, r := range p.rows() {
			if f, ok := k.Proofs[r.name()]; ok {
				f.Part, f.Claims = part, p.claims
				d.Proofs[r.name()] = f
			}
		}
	}
	for _, known := range testbed.KnownBugs() {
		i := slices.IndexFunc(bugs, func(b bug) bool { return b.name == known.Name })
		if i < 0 {
			d.Unsearched[known.Name] = unsearched(known)
		} else if f, ok := k.Bugs[known.Name]; ok {
			f.Asked = bugs[i].asked()
			d.Bugs[known.Name] = f
		}
	}
	return d
}

// asked is what simrun prove is to be asked for.
func (b *bug) asked() string {
	words := []string{b.scenario.Name, "--bug", b.name}
	for _, s := range strings.Fields(b.set) {
		words = append(words, "--set", s)
	}
	if b.scenario.Params.Clock.Mode != sim.Timed {
		words = append(words, "--firings", strconv.Itoa(b.firings))
	}
	return strings.Join(words, " ")
}

// write writes the table, a line for each row. Stories of other rows go.
func (k *kept) write(t *testing.T) {
	t.Helper()
	*k = *k.described()
	came := map[string]bool{}
	k.renameSituations(func(name string) string {
		came[name] = true
		return name
	})
	k.Situations = slices.Sorted(maps.Keys(came))
	file := k.described()
	file.renameSituations(func(name string) string { return strconv.Itoa(slices.Index(k.Situations, name)) })
	var b strings.Builder
	value := func(x any) string {
		text, err := json.Marshal(x)
		require.NoError(t, err)
		return string(text)
	}
	list := func(name string, of map[string]figures) {
		fmt.Fprintf(&b, ",\n%q: {\n", name)
		for i, key := range slices.Sorted(maps.Keys(of)) {
			if i > 0 {
				b.WriteString(",\n")
			}
			b.WriteString(value(key) + ": " + value(of[key]))
		}
		b.WriteString("\n}")
	}
	b.WriteString("{\n\"Parts\": " + strings.ReplaceAll(value(k.Parts), "},{", "},\n{"))
	b.WriteString(",\n\"Situations\": " + value(k.Situations))
	list("Proofs", file.Proofs)
	list("Bugs", file.Bugs)
	b.WriteString(",\n\"Unsearched\": " + strings.ReplaceAll(value(k.Unsearched), "\",\"", "\",\n\"") + "\n}\n")
	require.NoError(t, os.WriteFile(figuresFile, []byte(b.String()), 0o644))
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
			if k.Proofs[r.name()].Violated != "" && r.isTold() {
				files = append(files, r.story())
			}
		}
	}
	slices.Sort(files)
	return files
}
