package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/upstream/patches"
)

// figuresFile is the file of the folder with all that is measured.
const figuresFile = "figures.json"

func readFigures(folder string) (map[string]*figures, error) {
	of := map[string]*figures{}
	text, err := os.ReadFile(filepath.Join(folder, figuresFile))
	if errors.Is(err, fs.ErrNotExist) {
		return of, nil
	}
	if err != nil {
		return nil, err
	}
	return of, json.Unmarshal(text, &of)
}

func write(folder string, of map[string]*figures) error {
	text, err := json.MarshalIndent(of, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, figuresFile), append(text, '\n'), 0o644)
}

// intro is what the document begins with.
const intro = `# Upstream's reproductions, here

Upstream's correctness suite (kubernetes/kubernetes, test/integration/apiserver/storage) has a table of bugs that were. Its script
puts each back with a patch and runs the suite, real time on a real etcd, 10,000 operations a run; its README says whether that failed. Below
the same bugs are put back into the guest by patches of ours (../patches/undone), and looked for with scenarios of the catalogue. A row is written
by

    cd upstream
    go run ./reproduce NAME

Hits are the schedules until the property is violated, in the order of seeds from 0, 1,000,000, ..., 4,000,000 on; one that gives up after %s is
"-". Without the patch the guest ran as many schedules of the same scenario, and %d at least; where it violates the property, too, the row shows
nothing. The first run of each row was recorded and carried out again: the same to the bit, and it fails again.
`

func tables(of map[string]*figures) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, intro, thousands(most), control)
	b.WriteString("\n| bug | in words | upstream's suite | scenario | violated | hits | median | without the patch | replayed |\n|---|---|---|---|---|---|---|---|---|\n")
	for i := range rows {
		if r := &rows[i]; r.scenario != "" {
			if err := r.line(&b, of[r.name]); err != nil {
				return "", err
			}
		}
	}
	b.WriteString("\n## What is not found\n\n| bug | upstream's suite | what is lacking here, or where it was looked for |\n|---|---|---|\n")
	for i := range rows {
		if r := &rows[i]; r.scenario == "" {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", r.name, r.suite, r.why)
		}
	}
	b.WriteString(suiteIntro)
	for _, l := range lessons {
		fmt.Fprintf(&b, "\n**%s.** %s", l.bug, l.text)
		if l.test != "" {
			fmt.Fprintf(&b, " Plain test: `%s`.", l.test)
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

// suiteIntro is what stands above the lessons.
const suiteIntro = `
## What upstream's suite would have to do

For each bug of its table that it does not find. The plain Go tests are in ../yardstick/unreached: upstream's packages and the standard library
alone, an etcd in the same process, a second each. ` + "`go run ./reproduce -plain`" + ` runs each with the code that ships, with which it passes, and with the bug put back, with which it fails.
`

func (r *row) line(b *strings.Builder, f *figures) error {
	p, err := patches.Find(r.name)
	if err != nil {
		return err
	}
	_, words, _ := strings.Cut(strings.Join(strings.Fields(p.About), " "), ": ")
	scenario := "`" + r.scenario + "`"
	for _, s := range r.set {
		scenario += " `--set " + s + "`"
	}
	if how := r.how.String(); how != "" {
		scenario += " with `" + how + "`"
	}
	fmt.Fprintf(b, "| %s | %s | %s | %s | %s |", r.name, words, r.suite, scenario, r.property)
	if f == nil {
		b.WriteString(" not measured yet | | | |\n")
		return nil
	}
	replayed := "no"
	if f.Replayed {
		replayed = "yes"
	}
	var hits []string
	for _, n := range f.Hits {
		hits = append(hits, shown(n))
	}
	fmt.Fprintf(b, " %s | %s | %d of %s | %s |\n", strings.Join(hits, ", "), shown(f.median()), f.ControlViolations, thousands(f.Control), replayed)
	return nil
}

// median is that of the hits; a start that gave up is later than all others.
func (f *figures) median() uint64 {
	sorted := slices.SortedFunc(slices.Values(f.Hits), func(a, b uint64) int { return cmp.Compare(a-1, b-1) })
	return sorted[len(sorted)/2]
}

func shown(hits uint64) string {
	if hits == 0 {
		return "-"
	}
	return thousands(hits)
}

func thousands[N uint64 | int](n N) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
