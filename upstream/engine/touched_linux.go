package engine

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// touched are the pages that were written to since the image was mapped, in order. It asks
// the kernel: PAGEMAP_SCAN, which Linux has since 6.7, or else /proc/self/pagemap.
func (m *memory) touched() []int {
	m.numbers = m.numbers[:0]
	if !m.scan() {
		m.readPagemap()
	}
	return m.numbers
}

// scanArgument is struct pm_scan_arg, region is struct page_region.
type scanArgument struct {
	size, flags, start, end, walkEnd, vec, vecLen, maxPages       uint64
	categoryInverted, categoryMask, categoryAnyOfMask, returnMask uint64
}

type region struct{ start, end, _ uint64 }

const (
	pagemapScan   = 0xc0606610
	pageIsFile    = 1 << 2
	pageIsPresent = 1 << 3
	pageIsSwapped = 1 << 4
)

var pagemap = sync.OnceValues(func() (*os.File, error) { return os.Open("/proc/self/pagemap") })

func (m *memory) scan() bool {
	file, err := pagemap()
	if err != nil {
		return false
	}
	begin := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(m.whole))))
	end := begin + uint64(len(m.whole))
	var regions [512]region
	for at := begin; at < end; {
		arg := scanArgument{
			start: at, end: end, vec: uint64(uintptr(unsafe.Pointer(&regions))), vecLen: uint64(len(regions)),
			categoryInverted: pageIsFile, categoryMask: pageIsFile, categoryAnyOfMask: pageIsPresent | pageIsSwapped, returnMask: pageIsPresent | pageIsSwapped,
		}
		arg.size = uint64(unsafe.Sizeof(arg))
		n, _, errno := unix.Syscall(unix.SYS_IOCTL, file.Fd(), pagemapScan, uintptr(unsafe.Pointer(&arg)))
		if errno != 0 {
			m.numbers = m.numbers[:0]
			return false
		}
		for _, r := range regions[:n] {
			for page := r.start; page < r.end; page += pageSize {
				m.numbers = append(m.numbers, int((page-begin)/pageSize))
			}
		}
		at = arg.walkEnd
	}
	return true
}

// readPagemap reads 8 bytes for each page: a page that is present or swapped out, and not one
// of a file, was written to.
func (m *memory) readPagemap() {
	const (
		present = 1 << 63
		swapped = 1 << 62
		ofFile  = 1 << 61
	)
	file, err := pagemap()
	if err != nil {
		panic(fmt.Sprintf("engine: which pages a guest wrote to is not known: %v", err))
	}
	begin := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(m.whole))))
	entries := make([]byte, 8*len(m.bytes)/pageSize)
	if _, err := file.ReadAt(entries, int64(begin/pageSize*8)); err != nil {
		panic(fmt.Sprintf("engine: which pages a guest wrote to is not known: %v", err))
	}
	for i := range len(entries) / 8 {
		if e := binary.LittleEndian.Uint64(entries[8*i:]); e&(present|swapped) != 0 && e&ofFile == 0 {
			m.numbers = append(m.numbers, i)
		}
	}
}
