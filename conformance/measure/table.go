package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/watchbed/watchbed/shell"
)

// row is one line of the table.
type row struct {
	spec   storeSpec
	state  string
	reader string
	*measured
}

func total(t shell.ReadTimes) time.Duration { return t.Total }
func wait(t shell.ReadTimes) time.Duration  { return t.Wait }

func printTable(out io.Writer, rows []row) error {
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	head := []string{"selection", "store", "reader", "lists", "p50", "p99", "mean", "revision read", "wait", "p99 wait", "serve", "allocs", "alloc KB", "etcd CPU", "client CPU", "x latency", "x etcd CPU"}
	fmt.Fprintf(w, "| %s\t|\n", strings.Join(head, "\t| "))
	fmt.Fprintf(w, "|%s|\n", strings.Repeat("---\t|", len(head)-1)+"---\t")
	for _, r := range rows {
		n := float64(len(r.times))
		parts := []string{"", "", "", ""}
		if r.cached() {
			parts = []string{
				ms(r.quantile(0.5, func(t shell.ReadTimes) time.Duration { return t.Etcd })),
				ms(r.quantile(0.5, wait)), ms(r.quantile(0.99, wait)),
				ms(r.quantile(0.5, func(t shell.ReadTimes) time.Duration { return t.Serve })),
			}
		}
		cells := []string{
			r.spec.about, r.state, r.reader, fmt.Sprint(len(r.times)),
			ms(r.quantile(0.5, total)), ms(r.quantile(0.99, total)), ms(r.mean()),
			parts[0], parts[1], parts[2], parts[3],
			fmt.Sprintf("%.0f", float64(r.mallocs)/n), fmt.Sprintf("%.1f", float64(r.allocated)/n/1024),
			r.cpu(r.etcd), r.cpu(r.client),
		}
		cells = append(cells, r.against(rows)...)
		fmt.Fprintf(w, "| %s\t|\n", strings.Join(cells, "\t| "))
	}
	return w.Flush()
}

func (m *measured) mean() time.Duration {
	var sum time.Duration
	for _, t := range m.times {
		sum += t.Total
	}
	return sum / time.Duration(len(m.times))
}

// cpu is the share of one list, nothing if all lists together took less than the
// clock can measure.
func (m *measured) cpu(all time.Duration) string {
	if all < minTicks*clockTick {
		return ""
	}
	return ms(all / time.Duration(len(m.times)))
}

const minTicks = 20

func (r *row) cached() bool { return strings.HasPrefix(r.reader, "cache") }

// against is by how much the quicker way to list from etcd is slower, and by how
// much the cheaper one costs etcd more CPU, than this way to list from the cache.
func (r *row) against(rows []row) []string {
	if !r.cached() {
		return []string{"", ""}
	}
	var latency, cpu time.Duration
	for i := range rows {
		if o := &rows[i]; o.spec.name == r.spec.name && o.state == r.state && !o.cached() && o.reader != revisionReader {
			l, c := o.quantile(0.5, total), o.etcd/time.Duration(len(o.times))
			if latency == 0 || l < latency {
				latency = l
			}
			if cpu == 0 || c < cpu {
				cpu = c
			}
		}
	}
	ratios := []string{times(latency, r.quantile(0.5, total)), ""}
	if r.cpu(r.etcd) != "" {
		ratios[1] = times(cpu, r.etcd/time.Duration(len(r.times)))
	}
	return ratios
}

func times(a, b time.Duration) string {
	x := float64(a) / float64(b)
	if x < 10 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// ms is a time in milliseconds.
func ms(d time.Duration) string {
	x := float64(d) / float64(time.Millisecond)
	switch {
	case x >= 100:
		return fmt.Sprintf("%.0f ms", x)
	case x >= 1:
		return fmt.Sprintf("%.1f ms", x)
	default:
		return fmt.Sprintf("%.3f ms", x)
	}
}
