package prove

// visited is the set of the fingerprints of all states: a table with open addressing. It
// takes 8 bytes a place and is at most three quarters full.
type visited struct {
	places []uint64
	count  int
}

func newVisited() *visited { return &visited{places: make([]uint64, 1<<12)} }

// nonzero: 0 is an empty place.
func nonzero(key uint64) uint64 {
	if key == 0 {
		return 1
	}
	return key
}

func (v *visited) place(key uint64) int {
	mask := len(v.places) - 1
	i := int(key>>1) & mask
	for v.places[i] != 0 && v.places[i] != key {
		i = (i + 1) & mask
	}
	return i
}

// has may be called by several goroutines while add is not.
func (v *visited) has(key uint64) bool {
	key = nonzero(key)
	return v.places[v.place(key)] == key
}

// add returns false if the key was there before.
func (v *visited) add(key uint64) bool {
	key = nonzero(key)
	i := v.place(key)
	if v.places[i] == key {
		return false
	}
	v.places[i] = key
	if v.count++; 4*v.count > 3*len(v.places) {
		v.grow()
	}
	return true
}

func (v *visited) grow() {
	before := v.places
	v.places = make([]uint64, 2*len(before))
	for _, key := range before {
		if key != 0 {
			v.places[v.place(key)] = key
		}
	}
}

// bytes is how much memory the table takes.
func (v *visited) bytes() int { return 8 * len(v.places) }
