package prove

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sort"
	"sync"
)

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
	form  keyForm
	paths [2]string
	// now is which of the paths has the file; it is nil while there is none.
	file  *os.File
	now   int
	count int
	// firsts is the first key of each page.
	firsts keys
}

// A page is what is read at a time.
const pageKeys = 128

func (f *sorted) pageBytes() int { return f.form.bytes() * pageKeys }

func newSorted(dir string, form keyForm) *sorted {
	return &sorted{form: form, paths: [2]string{filepath.Join(dir, "sorted-0"), filepath.Join(dir, "sorted-1")}}
}

var pages = sync.Pool{New: func() any { return new([16 * pageKeys]byte) }}

// has may be called by several goroutines while merge is not.
func (f *sorted) has(k key) (bool, error) {
	page, found := sort.Find(f.firsts.Len(), func(i int) int { return k.compare(f.firsts.at(i)) })
	if found || page == 0 {
		return found, nil
	}
	page--
	buffer := pages.Get().(*[16 * pageKeys]byte)
	defer pages.Put(buffer)
	width := f.form.bytes()
	b := buffer[:width*min(pageKeys, f.count-page*pageKeys)]
	if _, err := f.file.ReadAt(b, int64(page)*int64(f.pageBytes())); err != nil {
		return false, err
	}
	first, last := 0, len(b)/width
	for first < last {
		middle := (first + last) / 2
		switch c := f.form.read(b[width*middle:]).compare(k); {
		case c == 0:
			return true, nil
		case c < 0:
			first = middle + 1
		default:
			last = middle
		}
	}
	return false, nil
}

// merge takes in keys, none of which is there. It sorts them.
func (f *sorted) merge(more keys) error {
	more.sort()
	next := 1 - f.now
	to, err := os.OpenFile(f.paths[next], os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	all := &sorted{form: f.form, paths: f.paths, file: to, now: next}
	err = f.mergeInto(all, &more)
	if err != nil {
		return errors.Join(err, all.close())
	}
	err = f.close()
	*f = *all
	return err
}

func (f *sorted) mergeInto(all *sorted, more *keys) error {
	out := bufio.NewWriterSize(all.file, 1<<20)
	var b [16]byte
	put := func(k key) error {
		if all.count%pageKeys == 0 {
			all.firsts.append(all.form, k)
		}
		all.count++
		_, err := out.Write(all.form.put(b[:0], k))
		return err
	}
	width := f.form.bytes()
	in := bufio.NewReaderSize(io.NewSectionReader(f.file, 0, int64(f.count)*int64(width)), 1<<20)
	done := 0
	for range f.count {
		if _, err := io.ReadFull(in, b[:width]); err != nil {
			return err
		}
		k := f.form.read(b[:])
		for ; done < more.Len() && more.at(done).compare(k) < 0; done++ {
			if err := put(more.at(done)); err != nil {
				return err
			}
		}
		if err := put(k); err != nil {
			return err
		}
	}
	for ; done < more.Len(); done++ {
		if err := put(more.at(done)); err != nil {
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
func (f *sorted) bytes() int { return f.firsts.bytes() }
