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
	Verdict string
	// Why is that of an undecided search.
	Why                        string `json:",omitempty"`
	States, Transitions, Depth int
	// StandsFor is how many states there are if each is counted that differs from one of States only in
	// who is who of clients; 0 if all are told apart.
	StandsFor int `json:",omitempty"`
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
	f := figures{Verdict: p.Verdict, Why: p.Why, States: p.States, Transitions: p.Transitions, Depth: p.Depth, StandsFor: p.StandsFor, NotJudged: p.NotJudged}
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
	Proofs, Bugs map[string]figures
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
	maps.DeleteFunc(k.Bugs, func(name string, _ figures) bool {
		return !slices.ContainsFunc(bugs, func(b bug) bool { return b.name == name })
	})
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
	for i := range bugs {
		if _, ok := k.Bugs[bugs[i].name]; ok {
			files = append(files, bugs[i].story())
		}
	}
	slices.Sort(files)
	return files
}

const head = `# Proofs

What ` + "`simrun prove`" + ` has shown: it looks at every schedule within bounds, in place of a sample of them. "Proved" is meant
within the bounds of the row and of nothing beyond them. The bounds are the options of the workload, and how often each timer fires
that is not part of a client's plan; any armed timer may fire at any point, which is more than real time allows. Where a row says "by
the clock", runs have a virtual clock in place of that, and the horizon bounds them. A violation comes with a shortest schedule there
is, as a story.

A row is repeated by ` + "`simrun prove SCENARIO --etcd E --cache C --set OPTION --firings N`" + ` with what stands in it (without
` + "`--firings`" + ` where the clock says when timers fire). Where the scenario claims more than a search judges, the command says of how many claims
its verdict is. ` + "`go test ./proofs`" + `
searches the small rows again and compares; ` + "`go test ./proofs -proofs.update`" + ` searches all of them and writes this page.

proofs.json has the situations as well that came about in each of the small rows: a promise was put to the test in these and in no others. A row
in which one of them does not come about any more fails the test, also where its verdict is the same.

"N states for M states": of states that differ only in who is who of clients with the same plan one was looked at. Without that
(` + "`--no-symmetry`" + `) there are M.
`

// readme is the table.
func (k *kept) readme() string {
	var b strings.Builder
	b.WriteString(head)
	for i := range promises {
		if promises[i].title != "" {
			k.promise(&b, &promises[i])
		}
	}
	k.catalogue(&b)
	k.bugs(&b)
	return b.String()
}

const bugsHead = `
## Known bugs

The shortest run of each known bug that a search finds within small bounds, and the steps of the run that shrinking makes of the first
ones that 6,000 random schedules find within the same bounds: "-" if they find none. "Without it" is what a search for the violated
promise alone comes to where the bug is not planted and nothing else differs; schedules put the promise to the test there, too. The
bounds are those with which it was searched; that smaller ones do not suffice is not shown.

| bug | scenario | bounds | firings | violated | shortest | shrunk | covered | without it |
|---|---|---|---|---|---|---|---|---|
`

func (k *kept) bugs(to *strings.Builder) {
	to.WriteString(bugsHead)
	var left []string
	for _, known := range testbed.KnownBugs() {
		i := slices.IndexFunc(bugs, func(b bug) bool { return b.name == known.Name })
		if i < 0 {
			left = append(left, fmt.Sprintf("| %s | %s | %s |", known.Name, known.Scenario.Name, unsearched(known)))
			continue
		}
		b, f := &bugs[i], k.Bugs[known.Name]
		shrunk := "-"
		if f.Shrunk > 0 {
			shrunk = strconv.Itoa(f.Shrunk)
		}
		fmt.Fprintf(to, "| %s | %s | %s | %s | %s | [%s](%s) | %s | %s | %s |\n", b.name, b.scenario.Name, b.set, b.bound(b.scenario), f.Violated,
			f.length(), storiesDir+"/"+b.story(), shrunk, f.covered(), f.Without)
	}
	k.covers(to)
	fmt.Fprintf(to, "\nNo search finds these yet, %d of %d:\n\n| bug | scenario in which it shows | why |\n|---|---|---|\n%s\n",
		len(left), len(testbed.KnownBugs()), strings.Join(left, "\n"))
}

const coversText = `
## How far these bounds reach

Of %d known bugs, %d can be searched for: the others show only in runs with a clock, or violate only what a search does not judge. Of
those that can, %d are found within bounds that are searched again by each change (at most %s), %s %%; the aim is 95 %%.
In the rows that are searched again %d situations come about, of those that the code counts (` + "`simrun prove --json`" + ` names those of a search).
What the rows find of small changes of the code, and how many histories larger bounds add, [lab](../lab) has measured.

No bound covers these:

- Time, where a row has no clock. Any armed timer may fire at any point, so that a proof holds for all delays, but nothing is said of how
  long something takes. Where a row has one, delays and phases of tickers between those that were looked at.
- What comes only of many: full buffers, rings and pages of default size, backoff that grows, work that is shared among seats.
- More writers, readers, caches or members than in the row, and faults that the row does not name or that strike more often.
- Races that the test bed masks (created=in-order, where a row does not unmask it), and what is before the beginning of a search.
- Claims that the row lists as not judged.
`

// covers says which share of the bugs that can be searched for is found again in CI.
func (k *kept) covers(to *strings.Builder) {
	can, found := 0, 0
	for _, b := range testbed.KnownBugs() {
		f, ok := k.Bugs[b.Name]
		if ok || searchable(b) {
			can++
		}
		if ok && f.States <= searchedInCI {
			found++
		}
	}
	share := strconv.Itoa(100 * found / max(can, 1))
	fmt.Fprintf(to, coversText, len(testbed.KnownBugs()), can, found, report.Counted(searchedInCI, "state"), share, len(k.cameAbout()))
}

// cameAbout are the situations of all rows.
func (k *kept) cameAbout() map[string]bool {
	all := map[string]bool{}
	for _, list := range []map[string]figures{k.Proofs, k.Bugs} {
		for _, f := range list {
			for _, name := range f.Situations.names() {
				all[name] = true
			}
			if f.Without != nil {
				for _, name := range f.Without.Situations.names() {
					all[name] = true
				}
			}
		}
	}
	return all
}

func (k *kept) promise(b *strings.Builder, p *promise) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n", p.title, p.text)
	fmt.Fprintf(b, "Scenario: `%s`.%s\n", p.scenario.Name, k.notJudged(p))
	if len(p.claims) > 0 {
		fmt.Fprintf(b, "Judged: %s; `simrun prove` says \"vacuous\" because of the other claims.\n", strings.Join(p.claims, ", "))
	}
	if p.wanted != "" {
		fmt.Fprintf(b, "Still too large: %s.\n", p.wanted)
	}
	b.WriteString("\n| bounds | firings | etcd | cache | verdict | covered |\n|---|---|---|---|---|---|\n")
	for _, r := range p.rows() {
		f, ok := k.Proofs[r.name()]
		if !ok {
			continue
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", r.set, r.bound(p.scenario), r.etcd, r.design, f.verdict(storiesDir+"/"+r.story()), f.covered())
	}
}

const catalogueHead = `
## The catalogue, one thing at a time

Scenarios in worlds so small that at most one client, one write and one fault are left of each; the same with another value of an option;
clients whose requests a seed draws; and worlds of a client, a write or a fault more, about a feature that the others leave out, or drawn at
random. They are there so that little of what the code can do is in no row at all. A row judges what such a world puts
to the test, and leaves the other claims of its scenario out.

| scenario | bounds | firings | etcd | cache | judged | verdict | covered |
|---|---|---|---|---|---|---|---|
`

// catalogue is the table of those promises that are only about a scenario.
func (k *kept) catalogue(b *strings.Builder) {
	b.WriteString(catalogueHead)
	for i := range promises {
		p := &promises[i]
		if p.title != "" {
			continue
		}
		for _, r := range p.rows() {
			if f, ok := k.Proofs[r.name()]; ok {
				fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s | %s | %s |\n", p.scenario.Name, r.set, r.bound(p.scenario), r.etcd, r.design, strings.Join(p.claims, ", "),
					f.verdict(storiesDir+"/"+r.story()), f.covered())
			}
		}
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

// bound is what ends the runs of a scenario.
func (b *bounds) bound(sc *testbed.Scenario) string {
	if sc.Params.Clock.Mode == sim.Timed {
		return "by the clock"
	}
	return strconv.Itoa(b.firings)
}

func (f *figures) verdict(story string) string {
	switch prove.Verdict(f.Verdict) {
	case prove.Violated:
		return fmt.Sprintf("**violated**: %s, [%s](%s)", f.Violated, f.length(), story)
	case prove.Undecided:
		return "undecided: " + f.Why
	case prove.Vacuous:
		return "vacuous: " + strings.Join(f.Vacuous, ", ")
	}
	return f.Verdict
}

// length is that of the shortest run.
func (f *figures) length() string {
	if f.Loop == 0 {
		return report.Counted(uint64(f.Steps), "step")
	}
	return fmt.Sprintf("%s and a loop of %d", report.Counted(uint64(f.Steps-f.Loop), "step"), f.Loop)
}

func (f *figures) covered() string {
	states := report.Counted(uint64(f.States), "state")
	if f.StandsFor > 0 {
		states += " for " + report.Counted(uint64(f.StandsFor), "state")
	}
	text := fmt.Sprintf("%s, %s, depth %d", states, report.Counted(uint64(f.Transitions), "transition"), f.Depth)
	if f.Seconds > 0 {
		text += fmt.Sprintf(", %g s", f.Seconds)
	}
	return text
}
