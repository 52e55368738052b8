package report

import (
	"fmt"
	"io"
	"strings"
)

// inColumns fills the cells of rows up to the width of their columns; those from the column left on are numbers, at the right.
func inColumns(rows [][]string, left int) [][]string {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	for _, row := range rows {
		for i := range row {
			row[i] = pad(row[i], width[i], i >= left)
		}
	}
	return rows
}

// writeColumns writes rows of which the first is the heading; all columns but
// the first are numbers.
func writeColumns(w io.Writer, o Terminal, rows [][]string) {
	for n, row := range inColumns(rows, 1) {
		line := "  " + strings.Join(row, "  ")
		if n == 0 {
			line = o.faint(line)
		}
		fmt.Fprintln(w, line)
	}
}
