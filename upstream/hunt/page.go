package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/report"
)

const head = `# Schedules of the code that ships, counted

` + "`go run ./hunt -for 1h`" + ` in the folder upstream goes on with the scenarios of the catalogue, in front of etcd ` + etcd + `, with seeds that were not run before: a turn of
ten seconds of each scenario over each guest, again and again. ` + "`go test ./hunt`" + ` holds each violation to a reason, and ` + "`go run ./hunt -page`" + ` prints this page of hunt.json.
With ` + "`:locks`" + ` behind its name a guest's goroutines give way at locks, too; with ` + "`:late`" + ` those that can run may do so only after messages have come and timers have fired. Each schedule is a lifetime of an API server or of several, judged by all that the scenario claims.
A first seed is that of the guest as it was compiled then: a guest that is compiled from other sources has other schedules with the same seeds.

| guest | scenarios | |
|---|---|---|
`

// render is the page.
func render(lots []lot) (string, error) {
	var b strings.Builder
	b.WriteString(head)
	var guests []string
	for i := range lots {
		if !slices.Contains(guests, lots[i].Guest) {
			guests = append(guests, lots[i].Guest)
		}
	}
	for _, guest := range guests {
		mine := slices.DeleteFunc(slices.Clone(lots), func(l lot) bool { return l.Guest != guest })
		fmt.Fprintf(&b, "| %s | %d | %s |\n", guest, len(mine), counted(schedules(mine)))
	}
	b.WriteString("\n## Violated\n\n| scenario | guest | of | violated | first seed | |\n|---|---|---|---|---|---|\n")
	for i := range lots {
		l := &lots[i]
		for _, f := range l.Found {
			reason, err := reasonOf(l, f.Property)
			if err != nil {
				return "", err
			}
			if reason == "" {
				reason = "**not examined**"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | **%s** (%s) in %s | %d | %s |\n", l.Scenario, l.Guest, counted(l.Schedules), f.Property, f.Label, counted(f.Schedules), f.Seed, reason)
		}
	}
	return b.String(), nil
}

func counted(n uint64) string { return report.Counted(n, "schedule") }
