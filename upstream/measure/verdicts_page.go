package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/testbed"
)

const verdictHead = `# What the scenarios say over Kubernetes' own cacher

Each scenario of ` + "`simrun list`" + ` with the design ` + guest + `, in front of etcd ` + newEtcd + ` and in front of ` + streams + `, of which it reads range streams, a few in front of
` + oldEtcd + ` as well; and with the design ` + next + `, in front of etcd ` + newEtcd + ` (` + nextNew + `). ` + "`go run ./measure verdicts`" + ` in the folder upstream
measures all of it and writes verdicts.json, of which ` + "`go run ./measure verdicts -page`" + ` prints this page; ` + "`go run ./measure verdicts NAME`" + ` measures one scenario again. ` + "`go test ./measure`" + ` holds
verdicts.json to the catalogue and to the reasons in Go, and measures a few rows again.

A row has as many schedules as come to about 100,000 choices, %d at most, from seed 0 on of the strategy that simrun takes by default. A scenario with hundreds of clients
has a few. "Holds" is said of these schedules only. Settings of a scenario that do not reach the guest do not hold for its judges either.

%s
`

func renderVerdicts(rows []verdictRow) (string, error) {
	var b strings.Builder
	var sums strings.Builder
	for _, etcd := range fronts {
		sums.WriteString(sumOfVerdicts(rows, etcd))
	}
	fmt.Fprintf(&b, verdictHead, verdictMost, sums.String())
	for _, section := range []struct {
		title, text string
		of          verdict
	}{
		{"Violated", "Each with its reason. It is what is known of the scenario with the simulated design of the guest's release.", violated},
		{"Holds", "Claims that were never checked have their reasons below.", holds},
		{"Says nothing about what it is for", "The option that the scenario lives from does not reach the guest. The claims that were checked hold all the same.", misses},
		{"Cannot be put together", "", refused},
		{"Has no cache", "Scenarios about etcd alone.", noCache},
	} {
		if err := renderSection(&b, rows, section.title, section.text, section.of); err != nil {
			return "", err
		}
	}
	b.WriteString(renderDifferences(rows, newEtcd, nextNew, "What v0.38.0-alpha.2 does otherwise"))
	b.WriteString(renderDifferences(rows, newEtcd, streams, "What an etcd with range streams makes of it"))
	if left := waiting(rows); len(left) > 0 {
		fmt.Fprintf(&b, "\n## Not measured yet\n\n`go run ./measure verdicts -missing` measures them: %s.\n", strings.Join(left, ", "))
	}
	b.WriteString("\n## Claims that are never checked over a guest\n\n| property | why |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(unjudgedInGuests)) {
		fmt.Fprintf(&b, "| %s | %s |\n", name, unjudgedInGuests[name])
	}
	return b.String(), nil
}

// verdict is what a row comes to.
type verdict int

const (
	holds verdict = iota
	violated
	misses
	refused
	noCache
)

func verdictOf(r *verdictRow) verdict {
	switch {
	case r.Refused != "":
		return refused
	case r.NoCache:
		return noCache
	case slices.ContainsFunc(r.Claims, func(c claim) bool { return c.Violated > 0 }):
		return violated
	case missOf(r) != nil || !slices.ContainsFunc(r.Claims, func(c claim) bool { return c.Checked > 0 }):
		return misses
	}
	return holds
}

// sumOfVerdicts is how many rows of one version come to what.
func sumOfVerdicts(rows []verdictRow, etcd string) string {
	var n [noCache + 1]int
	var schedules uint64
	for i := range rows {
		if r := &rows[i]; r.Etcd == etcd {
			n[verdictOf(r)]++
			schedules += r.Schedules
		}
	}
	return fmt.Sprintf("On etcd %s, in %d schedules: %d scenarios hold, %d violate a claim for a reason that is known, %d say nothing about what they are for, "+
		"%d cannot be put together, %d have no cache.\n", etcd, schedules, n[holds], n[violated], n[misses], n[refused], n[noCache])
}

func renderSection(b *strings.Builder, rows []verdictRow, title, text string, of verdict) error {
	var lines []string
	for i := range rows {
		r := &rows[i]
		if verdictOf(r) != of || (of == noCache || of == refused) && r.Etcd != fronts[0] {
			continue
		}
		if of == noCache {
			lines = append(lines, r.Scenario)
			continue
		}
		said, err := remarks(r)
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("| %s | %s | %d | %s |\n", r.Scenario, r.Etcd, r.Schedules, said))
	}
	if len(lines) == 0 {
		return nil
	}
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n", title, text)
	if of == noCache {
		fmt.Fprintf(b, "%s.\n", strings.Join(lines, ", "))
		return nil
	}
	b.WriteString("| scenario | etcd | schedules | |\n|---|---|---|---|\n" + strings.Join(lines, ""))
	return nil
}

// remarks is what there is to say of a row.
func remarks(r *verdictRow) (string, error) {
	if r.Refused != "" {
		return r.Refused, nil
	}
	var said, never []string
	checked, all := 0, r.known()
	for _, c := range r.Claims {
		if c.Violated > 0 {
			because := "no reason is known"
			if all := explained(all, c.Property); all != nil {
				because = "known: " + strings.Join(all, "; ")
			}
			said = append(said, fmt.Sprintf("**%s** in %d: %s", c.Property, c.Violated, because))
		}
		if c.Checked > 0 {
			checked++
			continue
		}
		text := c.Property
		if because := unasked[[2]string{r.Scenario, c.Property}]; because != "" {
			text += " (" + because + ")"
		}
		never = append(never, text)
	}
	if m := missOf(r); m != nil {
		said = append(said, fmt.Sprintf("%s: %s", m.option, m.because))
	}
	said = append(said, fmt.Sprintf("%d of %d claims checked", checked, len(r.Claims)))
	if len(never) > 0 {
		said = append(said, "never "+strings.Join(never, ", "))
	}
	for _, v := range all {
		unseen := !slices.ContainsFunc(r.Claims, func(c claim) bool { return c.Property == v.Property.Name && c.Violated > 0 })
		if unseen && !v.Rarely {
			said = append(said, "not seen, and our cache violates it: "+v.Property.Name)
		}
	}
	sc, err := testbed.FindScenario(r.Scenario)
	if err != nil {
		return "", err
	}
	lost, err := dropped(sc)
	if err != nil {
		return "", err
	}
	if len(lost) > 0 {
		var names []string
		for _, s := range lost {
			names = append(names, s.String())
		}
		said = append(said, "without "+strings.Join(names, ", "))
	}
	if r.Truncated > 0 {
		said = append(said, fmt.Sprintf("%d schedules were cut off by their limit of steps", r.Truncated))
	}
	return strings.Join(said, "; "), nil
}

// waiting are the rows that were not measured yet.
func waiting(rows []verdictRow) []string {
	var all []string
	for _, k := range verdictKeys() {
		if find(rows, k) == nil {
			all = append(all, k.String())
		}
	}
	return all
}

// difference is a claim that one of two fronts violates and the other does not.
type difference struct {
	scenario, property string
	violated, of       [2]uint64
}

// differences are those between two fronts, in the order of the rows.
func differences(rows []verdictRow, first, second string) []difference {
	var all []difference
	for i := range rows {
		a := &rows[i]
		b := find(rows, key{a.Scenario, second})
		if a.Etcd != first || b == nil {
			continue
		}
		for _, c := range a.Claims {
			for _, d := range b.Claims {
				if c.Property == d.Property && (c.Violated > 0) != (d.Violated > 0) {
					counts, of := [2]uint64{c.Violated, d.Violated}, [2]uint64{a.Schedules, b.Schedules}
					all = append(all, difference{a.Scenario, c.Property, counts, of})
				}
			}
		}
	}
	return all
}

// renderDifferences is the section about them.
func renderDifferences(rows []verdictRow, first, second, title string) string {
	all := differences(rows, first, second)
	if len(all) == 0 {
		return fmt.Sprintf("\n## %s\n\nNo claim is violated by the one and not by the other.\n", title)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n\nClaims that one of the two violates and the other does not, in the schedules that were run.\n\n| scenario | property | %s | %s |\n|---|---|---|---|\n", title, first, second)
	for _, d := range all {
		fmt.Fprintf(&b, "| %s | %s | %d of %d | %d of %d |\n", d.scenario, d.property, d.violated[0], d.of[0], d.violated[1], d.of[1])
	}
	return b.String()
}
