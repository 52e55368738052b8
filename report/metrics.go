package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// Measured is one metric over all runs of a campaign in timed mode. Durations
// are virtual and in seconds, as the names of the metrics say.
type Measured struct {
	Name string `json:"name"`
	// Unit is "s", "bytes" or empty for what is counted.
	Unit string `json:"unit,omitempty"`
	// Count is how many values there were, Total their sum. A counter has no
	// distribution.
	Count uint64        `json:"count,omitempty"`
	Total float64       `json:"total"`
	Of    *Distribution `json:"distribution,omitempty"`
	Help  string        `json:"help"`
}

// Distribution is where the values of a metric lie. P50 and P99 are off by at
// most 1/64, the others are exact.
type Distribution struct {
	Min  float64 `json:"min"`
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

// measure lists what was recorded.
func measure(tallies []explore.MetricTally) []Measured {
	var list []Measured
	for i := range tallies {
		t := &tallies[i]
		if t.Count() == 0 {
			continue
		}
		m := Measured{Name: t.Metric.String(), Unit: unitOf(t.Metric), Help: t.Metric.Help(), Total: inUnit(t.Metric, float64(t.Sum()))}
		if !t.Metric.IsCounter() {
			m.Count = t.Count()
			value := func(v int64) float64 { return inUnit(t.Metric, float64(v)) }
			m.Of = &Distribution{
				Min: value(t.Min()), Mean: inUnit(t.Metric, t.Mean()), Max: value(t.Max()),
				P50: value(t.Quantile(0.5)), P99: value(t.Quantile(0.99)),
			}
		}
		list = append(list, m)
	}
	return list
}

func unitOf(m sim.Metric) string {
	if m.Unit() == sim.Nanoseconds {
		return "s"
	}
	return m.Unit().String()
}

func inUnit(m sim.Metric, v float64) float64 {
	if m.Unit() == sim.Nanoseconds {
		return v / 1e9
	}
	return v
}

// writeMetrics writes the distributions as a table and the counters as another.
func writeMetrics(w io.Writer, o Terminal, list []Measured) {
	var rows, counters [][]string
	for i := range list {
		m := &list[i]
		if m.Of == nil {
			counters = append(counters, []string{m.Name, amount(m.Total, m.Unit)})
			continue
		}
		rows = append(rows, []string{m.Name, strconv.FormatUint(m.Count, 10),
			amount(m.Of.P50, m.Unit), amount(m.Of.P99, m.Unit), amount(m.Of.Max, m.Unit)})
	}
	if len(rows) > 0 {
		writeColumns(w, o, append([][]string{{"in virtual time", "count", "p50", "p99", "max"}}, rows...))
		fmt.Fprintln(w)
	}
	if len(counters) > 0 {
		writeColumns(w, o, append([][]string{{"counted", "total"}}, counters...))
		fmt.Fprintln(w)
	}
}

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

// amount writes a value for people: three digits are enough.
func amount(v float64, unit string) string {
	switch unit {
	case "s":
		return duration(v)
	case "bytes":
		return size(v)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

func duration(seconds float64) string {
	d := time.Duration(seconds * 1e9)
	switch {
	case d == 0:
		return "0"
	case d < time.Millisecond:
		return digits(seconds*1e6) + " us"
	case d < time.Second:
		return digits(seconds*1e3) + " ms"
	}
	return digits(seconds) + " s"
}

func size(bytes float64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	i := 0
	for bytes >= 1000 && i < len(units)-1 {
		bytes /= 1000
		i++
	}
	return digits(bytes) + " " + units[i]
}

// digits writes three significant digits, and no more than are there.
func digits(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return trimmed(strconv.FormatFloat(v, 'f', 1, 64))
	}
	return trimmed(strconv.FormatFloat(v, 'f', 2, 64))
}

func trimmed(s string) string {
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
