package findings_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/findings"
)

// row is a command of a page: what it must find is written by hand, in how many schedules it
// finds it is measured.
type row struct {
	// args are what comes after simrun.
	args     []string
	property string
	violated bool
	// found is in how many of the schedules the property is violated.
	found, schedules int
}

const beginReal = "<!-- real: "

// between is what stands between two markers of a page, which must be there.
func between(t *testing.T, p *findings.Page, begin, end string) string {
	t.Helper()
	_, rest, ok := strings.Cut(p.Text, begin)
	require.True(t, ok, "%s has no %q", p.Path(), begin)
	table, _, ok := strings.Cut(rest, end)
	require.True(t, ok, "%s has no %q", p.Path(), end)
	return table
}

func rowsOf(t *testing.T, p *findings.Page) (rows []row) {
	t.Helper()
	between(t, p, findings.BeginMeasured, findings.EndOfTable)
	for _, cells := range p.Measured() {
		require.Len(t, cells, 4, p.Path())
		line, words := cells[0], strings.Fields(cells[0])
		require.Greater(t, len(words), 2, line)
		require.Equal(t, []string{"simrun", "run"}, words[:2], line)
		require.Contains(t, []string{"violated", "holds"}, cells[2], line)
		r := row{args: words[1:], property: cells[1], violated: cells[2] == "violated"}
		figure, _, _ := strings.Cut(cells[3], ":")
		_, err := fmt.Sscanf(strings.ReplaceAll(figure, ",", ""), "%d of %d", &r.found, &r.schedules)
		require.NoError(t, err, "%s: %s", p.Path(), line)
		rows = append(rows, r)
	}
	require.NotEmpty(t, rows, p.Path())
	return rows
}

func (r *row) command() string { return "simrun " + strings.Join(r.args, " ") }

func (r *row) String() string {
	finds, figure := "holds", grouped(r.found)+" of "+grouped(r.schedules)
	if r.violated {
		finds = "violated"
		figure += ": 1 in " + oneIn(r.found, r.schedules)
	}
	return "| `" + r.command() + "` | `" + r.property + "` | " + finds + " | " + figure + " |\n"
}

// oneIn has two digits.
func oneIn(found, of int) string {
	switch n := float64(of) / float64(found); {
	case n < 10:
		return strconv.FormatFloat(n, 'f', 1, 64)
	case n < 100:
		return strconv.FormatFloat(n, 'f', 0, 64)
	default:
		digits := strconv.FormatFloat(n, 'f', 0, 64)
		rounded, _ := strconv.Atoi(digits[:2])
		if digits[2] >= '5' {
			rounded++
		}
		return grouped(rounded * pow10(len(digits)-2))
	}
}

func pow10(n int) int {
	p := 1
	for range n {
		p *= 10
	}
	return p
}

// grouped has a comma before each three digits.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

func TestOneIn(t *testing.T) {
	require.Equal(t, "7.9", oneIn(760, 6000))
	require.Equal(t, "46", oneIn(640, 29440))
	require.Equal(t, "1,700", oneIn(6, 10_000))
	require.Equal(t, "12,000", oneIn(1, 11_999))
}
