package main

import (
	"fmt"
	"slices"
)

// amiss is what is wrong between the table, the worlds and the releases, and each release that shows what the simulated server of it
// cannot. Nothing if all agrees. A world without a row was not measured yet.
func amiss(rows []row) []string {
	var all []string
	for i := range rows {
		r := &rows[i]
		if find(r.World) == nil || !slices.Contains(versions, r.Etcd) {
			all = append(all, fmt.Sprintf("the row of %s on etcd %s is about nothing that is compared", r.World, r.Etcd))
			continue
		}
		if n := len(r.ReleasedOnly); n > 0 {
			all = append(all, fmt.Sprintf("%s on etcd %s: the simulated server cannot show %d traces of the released code, such as %s", r.World, r.Etcd, n, r.ReleasedOnly[0]))
		}
	}
	return all
}
