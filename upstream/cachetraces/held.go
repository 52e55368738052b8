package main

import "fmt"

// amiss is what is wrong between the table and the worlds, and each world in which the code shows what the simulated cache cannot.
// Nothing if all agrees.
func amiss(rows []row) []string {
	var all []string
	for i := range rows {
		r := &rows[i]
		if find(r.World) == nil {
			all = append(all, fmt.Sprintf("the row of %s is about no world", r.World))
			continue
		}
		if n := len(r.ReleasedOnly); n > 0 {
			all = append(all, fmt.Sprintf("%s: the simulated cache cannot show %d traces of the released code, such as %s", r.World, n, r.ReleasedOnly[0]))
		}
	}
	return all
}
