package prove

// visited is the set of the fingerprints of all states: a table with open addressing. It
// takes 8 bytes a place and is at most three quarters full.
type visited struct {
	places []uint64
	// inTable is how many are in the table, count how many there are in all.
	inTable, count int
	// older has those that are not in the table, nil if all are.
	older *sorted
}

// leastPlaces is how large the table is when it is empty.
const leastPlaces = 1 << 12

func newVisited() *visited { return &visited{places: make([]uint64, leastPlaces)} }

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

// has may be called by several goroutines while add and spill are not.
func (v *visited) has(key uint64) (bool, error) {
	key = nonzero(key)
	if v.places[v.place(key)] == key {
		return true, nil
	}
	if v.older == nil {
		return false, nil
	}
	return v.older.has(key)
}

// add returns false if the key was there before. If some were spilled, it looks at the table
// alone: a candidate was not among the others when it was found.
func (v *visited) add(key uint64) bool {
	key = nonzero(key)
	i := v.place(key)
	if v.places[i] == key {
		return false
	}
	v.places[i] = key
	v.count++
	if v.inTable++; 4*v.inTable > 3*len(v.places) {
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

// spill moves what the table has into a file in this directory.
func (v *visited) spill(dir string) error {
	if v.older == nil {
		v.older = newSorted(dir)
	}
	keys := v.places[:0]
	for _, key := range v.places {
		if key != 0 {
			keys = append(keys, key)
		}
	}
	if err := v.older.merge(keys); err != nil {
		return err
	}
	v.places, v.inTable = make([]uint64, leastPlaces), 0
	return nil
}

// growsSoon reports whether the table may grow, to twice its size, before it has been looked at
// again.
func (v *visited) growsSoon() bool { return 8*v.inTable > 5*len(v.places) }

// filed is how many are in a file.
func (v *visited) filed() int { return v.count - v.inTable }

func (v *visited) close() error {
	if v.older == nil {
		return nil
	}
	return v.older.close()
}

// bytes is how much memory the set takes.
func (v *visited) bytes() int {
	n := 8 * len(v.places)
	if v.older != nil {
		n += v.older.bytes()
	}
	return n
}
