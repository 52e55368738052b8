package prove

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"sync"

	"github.com/watchbed/watchbed/sim"
)

// visited is the set of the keys of all states: a table with open addressing. It takes the
// length of a key a place and is at most three quarters full.
type visited struct {
	places []key
	// inTable is how many are in the table, count how many there are in all.
	inTable, count int
	// older has the keys that are not in the table, nil if all are.
	older *sorted
}

// leastPlaces is how large the table is when it is empty.
const leastPlaces = 1 << 12

// place is where a key is, or an empty place for it.
func (v *visited) place(k key) int {
	mask := len(v.places) - 1
	i := int(k>>1) & mask
	for v.places[i] != 0 && v.places[i] != k {
		i = (i + 1) & mask
	}
	return i
}

// has may be called by several goroutines while add and spill are not.
func (v *visited) has(k key) (bool, error) {
	if v.places[v.place(k)] == k {
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
	if v.places[i] == k {
		return false
	}
	v.places[i] = k
	v.count++
	if v.inTable++; 4*v.inTable > 3*len(v.places) {
		v.grow()
	}
	return true
}

func (v *visited) grow() {
	before := v.places
	v.places = make([]key, 2*len(before))
	for _, k := range before {
		if k != 0 {
			v.places[v.place(k)] = k
		}
	}
}

// spill moves what the table has into a file in this directory.
func (v *visited) spill(dir string) error {
	if v.older == nil {
		v.older = newSorted(dir)
	}
	if err := v.older.merge(slices.DeleteFunc(v.places, func(k key) bool { return k == 0 })); err != nil {
		return err
	}
	v.places, v.inTable = make([]key, leastPlaces), 0
	return nil
}

// growsSoon reports whether the table may grow, to twice its size, before it has been looked at
// again.
func (v *visited) growsSoon() bool { return 8*v.inTable > 5*len(v.places) }

func (v *visited) close() error {
	if v.older == nil {
		return nil
	}
	return v.older.close()
}

// bytes is how much memory the set takes.
func (v *visited) bytes() int {
	n := keyBytes * cap(v.places)
	if v.older != nil {
		n += v.older.bytes()
	}
	return n
}

// sorted is a set of keys in a file, in their order, with the first of each page in
// memory. So one read tells whether a key is there. What is added is merged with all
// that is there into another file.
//
// This is how TLC keeps fingerprints that memory cannot hold (its DiskFPSet): each state is
// known as new or old at once, so that the search goes the same way as in memory. Murphi reads
// the file once a layer instead (Stern and Dill 1998, "Using magnetic disk instead of main
// memory in the Murphi verifier"). That reads less at random, but numbers the states of a layer
// only at its end: no limit, checkpoint or edge of the graph could be taken before.
type sorted struct {
	paths [2]string
	// now is which of the paths has the file; it is nil while there is none.
	file  *os.File
	now   int
	count int
	// firsts is the first key of each page.
	firsts []key
}

// A page is what is read at a time.
const (
	pageKeys  = 128
	pageBytes = keyBytes * pageKeys
)

func newSorted(dir string) *sorted {
	return &sorted{paths: [2]string{filepath.Join(dir, "sorted-0"), filepath.Join(dir, "sorted-1")}}
}

var pages = sync.Pool{New: func() any { return new([pageBytes]byte) }}

// has may be called by several goroutines while merge is not.
func (f *sorted) has(k key) (bool, error) {
	page, found := slices.BinarySearch(f.firsts, k)
	if found || page == 0 {
		return found, nil
	}
	page--
	buffer := pages.Get().(*[pageBytes]byte)
	defer pages.Put(buffer)
	b := buffer[:keyBytes*min(pageKeys, f.count-page*pageKeys)]
	if _, err := f.file.ReadAt(b, int64(page)*pageBytes); err != nil {
		return false, err
	}
	_, found = sort.Find(len(b)/keyBytes, func(i int) int { return cmp.Compare(k, readKey(b[keyBytes*i:])) })
	return found, nil
}

// merge takes in keys, none of which is there. It sorts them.
func (f *sorted) merge(more []key) error {
	slices.Sort(more)
	next := 1 - f.now
	to, err := os.OpenFile(f.paths[next], os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	all := &sorted{paths: f.paths, file: to, now: next}
	err = f.mergeInto(all, more)
	if err != nil {
		return errors.Join(err, all.close())
	}
	err = f.close()
	*f = *all
	return err
}

func (f *sorted) mergeInto(all *sorted, more []key) error {
	out := bufio.NewWriterSize(all.file, 1<<20)
	var b [keyBytes]byte
	put := func(k key) error {
		if all.count%pageKeys == 0 {
			all.firsts = append(all.firsts, k)
		}
		all.count++
		_, err := out.Write(putKey(b[:0], k))
		return err
	}
	in := bufio.NewReaderSize(io.NewSectionReader(f.file, 0, int64(f.count)*keyBytes), 1<<20)
	for range f.count {
		if _, err := io.ReadFull(in, b[:]); err != nil {
			return err
		}
		k := readKey(b[:])
		for ; len(more) > 0 && more[0] < k; more = more[1:] {
			if err := put(more[0]); err != nil {
				return err
			}
		}
		if err := put(k); err != nil {
			return err
		}
	}
	for _, k := range more {
		if err := put(k); err != nil {
			return err
		}
	}
	return out.Flush()
}

// close removes the file: it is made again from the states that are kept.
func (f *sorted) close() error {
	if f.file == nil {
		return nil
	}
	return errors.Join(f.file.Close(), os.Remove(f.paths[f.now]))
}

// bytes is how much memory it takes.
func (f *sorted) bytes() int { return keyBytes * cap(f.firsts) }

// key tells states apart: a fingerprint.
type key uint64

// keyBytes is how long a key is.
const keyBytes = 8

// keyOf makes the key of a state. It is not 0, which is an empty place.
func keyOf(fingerprint sim.Digest) key { return key(max(fingerprint.Sum(), 1)) }

func putKey(to []byte, k key) []byte { return binary.LittleEndian.AppendUint64(to, uint64(k)) }

func readKey(b []byte) key { return key(binary.LittleEndian.Uint64(b)) }
