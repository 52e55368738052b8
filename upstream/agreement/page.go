package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const head = `# The code of an etcd release and the simulated server of it

Each scenario of ` + "`simrun list`" + ` over the watch server of the newest release of each branch, as it was published, and over the simulated one. ` + "`go run ./agreement`" + ` in
the folder upstream measures all of it and writes agreement.json, of which ` + "`go run ./agreement -page`" + ` prints this page; ` + "`go run ./agreement NAME`" + ` measures one scenario again.
` + "`go test ./agreement`" + ` holds agreement.json to the catalogue and to the reasons in Go, and measures a few rows again.

Options of the watch path do not reach the code of a release, so that a scenario which sets some is run without them on both sides. No race that all releases have is
masked. A row has as many schedules as a second of a processor is enough for, %d at most, from seed 0 on; where one side alone violates a property the other is
run %d times as long. That neither side violates one is said of these schedules only. What has no row yet is measured by
` + "`go run ./agreement -missing`" + `.

| etcd | scenarios | neither side violates anything | both violate the same | one alone violates something | cannot be put together | schedules, code and model |
|---|---|---|---|---|---|---|
%s`

// render is the page.
func render(rows []row) (string, error) {
	var b, sums strings.Builder
	for _, version := range versions {
		sums.WriteString(sum(rows, version))
	}
	fmt.Fprintf(&b, head, most, longer, sums.String())
	section(&b, rows, "One side alone violates", "Schedules that are violated, of those that ran.", func(r *row, c claim) (string, bool) {
		return cmp.Or(why(r, c), "no reason is known"), c.differs() && !c.unseen()
	})
	section(&b, rows, "Both violate", "What the scenarios are known for; simrun tells each story.", func(r *row, c claim) (string, bool) {
		return cmp.Or(knownOf(r, c), "not known of this scenario"), c.Code.Violated > 0 && c.Model.Violated > 0
	})
	b.WriteString("\n## Never checked over the code\n\n| property | why | scenarios |\n|---|---|---|\n")
	in := map[string][]string{}
	for i := range rows {
		for _, c := range rows[i].those(claim.unseen) {
			if !slices.Contains(in[c.Property], rows[i].Scenario) {
				in[c.Property] = append(in[c.Property], rows[i].Scenario)
			}
		}
	}
	for _, property := range slices.Sorted(maps.Keys(in)) {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", property, cmp.Or(unjudged[property], "no reason is known"), strings.Join(in[property], ", "))
	}
	refusals(&b, rows)
	return b.String(), nil
}

// sum is a line about one version.
func sum(rows []row, version string) string {
	var all, clean, same, differ, refused int
	var code, model uint64
	for i := range rows {
		r := &rows[i]
		if r.Etcd != version {
			continue
		}
		all++
		code, model = code+r.Code, model+r.Model
		switch {
		case r.Refused != "":
			refused++
		case len(r.differences()) > 0:
			differ++
		case len(r.those(func(c claim) bool { return c.Code.Violated > 0 })) > 0:
			same++
		default:
			clean++
		}
	}
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d, %d |\n", version, all, clean, same, differ, refused, code, model)
}

// section is a table of claims, each with what there is to say of it.
func section(b *strings.Builder, rows []row, title, text string, of func(*row, claim) (string, bool)) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n| scenario | property | etcd | code | model | |\n|---|---|---|---|---|---|\n", title, text)
	for i := range rows {
		r := &rows[i]
		for _, c := range r.Claims {
			if said, in := of(r, c); in {
				fmt.Fprintf(b, "| %s | %s | %s | %d of %d | %d of %d | %s |\n", r.Scenario, c.Property, r.Etcd, c.Code.Violated, r.Code, c.Model.Violated, r.Model, said)
			}
		}
	}
}

// refusals are the scenarios that cannot be put together, by what is said then.
func refusals(b *strings.Builder, rows []row) {
	by := map[string][]string{}
	for i := range rows {
		if r := &rows[i]; r.Refused != "" {
			said := strings.ReplaceAll(r.Refused, released(r.Etcd), "etcd@VERSION")
			if !slices.Contains(by[said], r.Scenario) {
				by[said] = append(by[said], r.Scenario)
			}
		}
	}
	b.WriteString("\n## Cannot be put together\n\n| | scenarios |\n|---|---|\n")
	for _, said := range slices.Sorted(maps.Keys(by)) {
		fmt.Fprintf(b, "| %s | %s |\n", said, strings.Join(by[said], ", "))
	}
}
