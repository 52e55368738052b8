package main

import (
	"fmt"
	"os"
	"strings"
)

// The table lies between these lines of the page.
const (
	begin = "<!-- Written by go run ./measure figures. -->\n"
	end   = "<!-- End of the figures. -->\n"
)

// writePage puts the rows into the page.
func writePage(page string, rows []comparison) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	head, rest, found := strings.Cut(string(text), begin)
	_, tail, ended := strings.Cut(rest, end)
	if !found || !ended {
		return fmt.Errorf("%s: there are no lines %q and %q for the table to lie between", page, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return os.WriteFile(page, []byte(head+begin+table(rows)+end+tail), 0o644)
}

func table(rows []comparison) string {
	var b strings.Builder
	b.WriteString("| etcd | requests | in transactions | about leases | refused | explained | other differences | races | on a follower | impossible | unknown |\n")
	b.WriteString("| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n")
	for i := range rows {
		r := &rows[i]
		q := &r.requests
		fmt.Fprintf(&b, "| %s |", r.version)
		for _, n := range []int{
			q.Requests, q.Transactions, q.Leases, q.Refused, q.Explained.OtherReason + q.Explained.NoLease, len(q.Differences),
			r.alone.Races, r.follower.Races, r.alone.Unreachable + r.follower.Unreachable, r.alone.Unknown + r.follower.Unknown,
		} {
			fmt.Fprintf(&b, " %s |", thousands(n))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// thousands is a number as the pages write it: 12,345.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
