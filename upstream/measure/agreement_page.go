package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const agreementHead = `# The code of an etcd release and the simulated server of it

Each scenario of ` + "`simrun list`" + ` over the watch server of the newest release of each branch, as it was published, and over the simulated one. ` + "`go run ./measure agreement`" + ` in
the folder upstream measures all of it and writes agreement.json, of which ` + "`go run ./measure agreement -page`" + ` prints this page; ` + "`go run ./measure agreement NAME`" + ` measures one scenario again.
` + "`go test ./measure`" + ` holds agreement.json to the catalogue and to the reasons in Go, and measures a few rows again.

Options of the watch path do not reach the code of a release, so that a scenario which sets some is run without them on both sides. No race that all releases have is
masked. A row has as many schedules as a second of a processor is enough for, %d at most, from seed 0 on; where one side alone violates a property the other is
run %d times as long. That neither side violates one is said of these schedules only. What has no row yet is measured by
` + "`go run ./measure agreement -missing`" + `.

| etcd | scenarios | neither side violates anything | both violate the same | one alone violates something | cannot be put together | schedules, code and model |
|---|---|---|---|---|---|---|
%s`

func renderAgreement(rows []agreementRow) (string, error) {
	var b, sums strings.Builder
	for _, version := range newest {
		sums.WriteString(sumOfAgreement(rows, version))
	}
	fmt.Fprintf(&b, agreementHead, agreementMost, longer, sums.String())
	renderSides(&b, rows, "One side alone violates", "Schedules that are violated, of those that ran.", func(r *agreementRow, c sides) (string, bool) {
		return cmp.Or(r.reason(c), "no reason is known"), c.differs()
	})
	renderSides(&b, rows, "Both violate", "What the scenarios are known for; simrun tells each story.", func(r *agreementRow, c sides) (string, bool) {
		return cmp.Or(r.known(c), "not known of this scenario"), c.Code.Violated > 0 && c.Model.Violated > 0
	})
	unseen, refused := map[string][]string{}, map[string][]string{}
	add := func(to map[string][]string, what, scenario string) {
		if !slices.Contains(to[what], scenario) {
			to[what] = append(to[what], scenario)
		}
	}
	for i := range rows {
		r := &rows[i]
		if r.Refused != "" {
			add(refused, strings.ReplaceAll(r.Refused, released(r.Etcd), "etcd@VERSION"), r.Scenario)
		}
		for _, c := range r.Claims {
			if c.unseen() {
				add(unseen, c.Property, r.Scenario)
			}
		}
	}
	b.WriteString("\n## Never checked over the code\n\n| property | why | scenarios |\n|---|---|---|\n")
	for _, property := range slices.Sorted(maps.Keys(unseen)) {
		because := cmp.Or(unjudgedInEtcd[property], "no reason is known")
		fmt.Fprintf(&b, "| %s | %s | %s |\n", property, because, strings.Join(unseen[property], ", "))
	}
	b.WriteString("\n## Cannot be put together\n\n| | scenarios |\n|---|---|\n")
	for _, said := range slices.Sorted(maps.Keys(refused)) {
		fmt.Fprintf(&b, "| %s | %s |\n", said, strings.Join(refused[said], ", "))
	}
	return b.String(), nil
}

// sumOfAgreement is a line about one version.
func sumOfAgreement(rows []agreementRow, version string) string {
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
		case r.differs():
			differ++
		case slices.ContainsFunc(r.Claims, func(c sides) bool { return c.Code.Violated > 0 }):
			same++
		default:
			clean++
		}
	}
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d, %d |\n", version, all, clean, same, differ, refused, code, model)
}

// renderSides is a table of claims, each with what there is to say of it.
func renderSides(b *strings.Builder, rows []agreementRow, title, text string, of func(*agreementRow, sides) (string, bool)) {
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
