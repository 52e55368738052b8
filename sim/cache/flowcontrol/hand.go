package flowcontrol

import "github.com/watchbed/watchbed/sim"

// hand deals a flow its queues: size different ones of all, which follow from the flow
// alone. Two flows seldom have all of theirs in common, so that one which floods its
// queues leaves another one some (shuffle sharding).
func hand(flow sim.NodeID, size, all int, into []int) []int {
	into = into[:0]
	h := sim.NewDigest.Int(int64(flow)).Sum()
	for len(into) < size {
		left := uint64(all - len(into))
		into = append(into, nth(into, int(h%left)))
		h /= left
	}
	return into
}

// nth is the queue of a number among those that were not dealt yet.
func nth(dealt []int, n int) int {
	for q := 0; ; q++ {
		taken := false
		for _, d := range dealt {
			taken = taken || d == q
		}
		if taken {
			continue
		}
		if n == 0 {
			return q
		}
		n--
	}
}
