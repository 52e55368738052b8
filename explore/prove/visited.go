package prove

// visited is the set of the keys of all states: a table with open addressing. It takes the
// length of a key a place and is at most three quarters full.
type visited struct {
	form   keyForm
	places keys
	// inTable is how many are in the table, count how many there are in all.
	inTable, count int
	// older has those that are not in the table, nil if all are.
	older *sorted
}

// leastPlaces is how large the table is when it is empty.
const leastPlaces = 1 << 12

func newVisited(f keyForm) *visited { return &visited{form: f, places: f.newKeys(leastPlaces)} }

// place is where a key is, or an empty place for it.
func (v *visited) place(k key) int {
	mask := v.places.Len() - 1
	i := int(k.hash()>>1) & mask
	for v.places.first[i] != 0 && !v.places.is(i, k) {
		i = (i + 1) & mask
	}
	return i
}

// has may be called by several goroutines while add and spill are not.
func (v *visited) has(k key) (bool, error) {
	if v.places.is(v.place(k), k) {
		return true, nil
	}
	if v.older == nil {
		return false, nil
	}
	return v.older.has(k)
}

// add returns false if the key was there before. If some were spilled, it looks at the table
// alone: a candidate was not among the others when it was found.
func (v *visited) add(k key) bool {
	i := v.place(k)
	if v.places.is(i, k) {
		return false
	}
	v.places.set(i, k)
	v.count++
	if v.inTable++; 4*v.inTable > 3*v.places.Len() {
		v.grow()
	}
	return true
}

func (v *visited) grow() {
	before := v.places
	v.places = v.form.newKeys(2 * before.Len())
	for i, first := range before.first {
		if first != 0 {
			k := before.at(i)
			v.places.set(v.place(k), k)
		}
	}
}

// spill moves what the table has into a file in this directory.
func (v *visited) spill(dir string) error {
	if v.older == nil {
		v.older = newSorted(dir, v.form)
	}
	all := v.places
	n := 0
	for i, first := range all.first {
		if first != 0 {
			all.set(n, all.at(i))
			n++
		}
	}
	all.cut(n)
	if err := v.older.merge(all); err != nil {
		return err
	}
	v.places, v.inTable = v.form.newKeys(leastPlaces), 0
	return nil
}

// growsSoon reports whether the table may grow, to twice its size, before it has been looked at
// again.
func (v *visited) growsSoon() bool { return 8*v.inTable > 5*v.places.Len() }

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
	n := v.places.bytes()
	if v.older != nil {
		n += v.older.bytes()
	}
	return n
}
