package report

import (
	"fmt"
	"io"
	"strings"
)

// writeColumns writes rows of which the first is the heading; all columns but
// the first are numbers.
func writeColumns(w io.Writer, o Terminal, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	for n, row := range rows {
		var line strings.Builder
		line.WriteString("  " + pad(row[0], width[0], false))
		for i, cell := range row[1:] {
			line.WriteString("  " + pad(cell, width[i+1], true))
		}
		if n == 0 {
			fmt.Fprintln(w, o.faint(line.String()))
		} else {
			fmt.Fprintln(w, line.String())
		}
	}
}
