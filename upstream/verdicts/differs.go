package main

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/upstream/table"
)

// difference is a claim that one of two fronts violates and the other does not.
type difference struct {
	scenario, property string
	violated, of       [2]uint64
}

// differences are those between two fronts, in the order of the rows.
func differences(rows []row, first, second string) []difference {
	var all []difference
	for i := range rows {
		a := &rows[i]
		b := table.Find(rows, table.Key{Scenario: a.Scenario, Etcd: second})
		if a.Etcd != first || b == nil {
			continue
		}
		for _, c := range a.Claims {
			for _, d := range b.Claims {
				if c.Property == d.Property && (c.Violated > 0) != (d.Violated > 0) {
					all = append(all, difference{a.Scenario, c.Property, [2]uint64{c.Violated, d.Violated}, [2]uint64{a.Schedules, b.Schedules}})
				}
			}
		}
	}
	return all
}

// renderDifferences is the section about them.
func renderDifferences(rows []row, first, second, title string) string {
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
