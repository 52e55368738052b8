package main

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/testbed"
)

// amiss is what is wrong between the table, the catalogue and the reasons, nothing if all agrees. A scenario without a row
// was not measured yet.
func amiss(rows []row) []string {
	var all []string
	used, unchecked := map[[2]string]bool{}, map[string]bool{}
	for i := range rows {
		r := &rows[i]
		if _, err := testbed.FindScenario(r.Scenario); err != nil || !slices.Contains(versions, r.Etcd) {
			all = append(all, fmt.Sprintf("the row of %s on etcd %s is about nothing that is measured", r.Scenario, r.Etcd))
			continue
		}
		for _, c := range r.differences() {
			used[[2]string{r.Scenario, c.Property}], used[[2]string{"", c.Property}] = true, true
			if why(r, c) == "" {
				all = append(all, fmt.Sprintf("%s on etcd %s: one side alone violates %s (%s), and there is no reason for it", r.Scenario, r.Etcd, c.Property, r.counts(c)))
			}
		}
		for _, c := range r.those(claim.unseen) {
			unchecked[c.Property] = true
			if unjudged[c.Property] == "" {
				all = append(all, fmt.Sprintf("%s on etcd %s never checks %s over the code, and there is no reason for it", r.Scenario, r.Etcd, c.Property))
			}
		}
	}
	for key := range reasons {
		if !used[key] {
			all = append(all, fmt.Sprintf("there is a reason why one side alone violates %s in %q, and none does", key[1], key[0]))
		}
	}
	for property := range unjudged {
		if !unchecked[property] {
			all = append(all, fmt.Sprintf("there is a reason why %s is never checked over the code, and it is", property))
		}
	}
	slices.Sort(all)
	return all
}
