package native

import (
	"fmt"
	"slices"
)

// find is what was measured of a row, nil if nothing was.
func find(all []measured, r *row) *measured {
	for i := range all {
		if all[i].String() == r.String() {
			return &all[i]
		}
	}
	return nil
}

// differences are the properties that a row violates more or less often natively than another one in WebAssembly, with
// what is left open chosen in any order.
func differences(native, compiled *measured) []string {
	var all []string
	for i, c := range native.Claims {
		if c.Native.differs(compiled.Claims[i].Random) {
			all = append(all, c.Property)
		}
	}
	return all
}

// amiss is what is wrong between the rows, the table and the reasons, nothing if all agrees.
func amiss(all []measured) []string {
	var wrong []string
	used := map[[2]string]bool{}
	for i := range rows {
		r := &rows[i]
		m := find(all, r)
		if m == nil {
			wrong = append(wrong, r.String()+" was not measured")
			continue
		}
		for _, property := range differences(m, m) {
			key := [2]string{m.String(), property}
			used[key] = true
			if reasons[key] == "" {
				wrong = append(wrong, fmt.Sprintf("%s: %s differs, and there is no reason for it", m.String(), property))
			}
		}
	}
	for i := range all {
		if !slices.ContainsFunc(rows, func(r row) bool { return r.String() == all[i].String() }) {
			wrong = append(wrong, all[i].String()+" is in the table, and not among the rows")
		}
	}
	for key := range reasons {
		if !used[key] {
			wrong = append(wrong, fmt.Sprintf("there is a reason why %s differs in %s, and it does not", key[1], key[0]))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// reasons are why a property of a row is violated more or less often natively.
var reasons = map[[2]string]string{}
