package report

import (
	"slices"
	"strings"
)

// leastFolded is how many steps in a row have to be quiet to be folded.
const leastFolded = 4

// fold makes a table of many steps shorter: beside each step is what it changes and
// what holds the change that is missed, and successive steps of which nothing is told
// and that change nothing share a row.
func (t *stepTable) fold() {
	var rows []stepRow
	for i := 0; i < len(t.Rows); {
		n := 0
		for i+n < len(t.Rows) && t.Rows[i+n].quiet() {
			n++
		}
		if n >= leastFolded {
			rows = append(rows, foldedRow(t.Rows[i:i+n]))
			i += n
			continue
		}
		row := t.Rows[i]
		row.Holds = telling(row.Holds)
		rows = append(rows, row)
		i++
	}
	t.Rows, t.Brief = rows, true
}

// quiet reports whether nothing is told of the step and it changes nothing that is
// shown.
func (r *stepRow) quiet() bool { return strings.TrimSpace(r.Class) == "" && len(changed(r.Holds)) == 0 }

func foldedRow(rows []stepRow) stepRow {
	r := stepRow{When: rows[0].When, Class: "gap", Count: Counted(uint64(len(rows)), "step")}
	for _, x := range rows {
		r.Quiet = append(r.Quiet, quietStep{x.When, x.Node, x.How})
	}
	return r
}

// telling are the parts that a step changed, and those that hold the change that is
// missed or say that it is not missing.
func telling(nodes []nodeState) []nodeState {
	return partsOf(nodes, func(p *partState) bool {
		return p.Changed || slices.ContainsFunc(p.Entries, func(e heldEntry) bool { return e.Holds || e.Claims })
	})
}
