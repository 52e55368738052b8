package engine

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// memory is the linear memory of a machine: address space of which a part is in use.
// Mapped from an image, the kernel knows which pages were written to.
type memory struct {
	// whole is all of the address space, bytes the part in use.
	whole, bytes []byte
	numbers      []int
}

func newMemory(size uint64) *memory {
	whole, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		panic(fmt.Sprintf("engine: no address space for the memory of a guest: %v", err))
	}
	return &memory{whole: whole}
}

// Reallocate implements experimental.LinearMemory.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.whole)) {
		return nil
	}
	m.bytes = m.whole[:size:len(m.whole)]
	return m.bytes
}

// Free implements experimental.LinearMemory.
func (m *memory) Free() {
	// Nothing can be done if it fails.
	_ = unix.Munmap(m.whole)
	m.whole, m.bytes = nil, nil
}

func (m *memory) page(n int) []byte { return m.whole[n*pageSize : (n+1)*pageSize] }

// image is the memory at the beginning of all runs of a module.
type image struct {
	fd    int
	bytes []byte
}

func newImage(m *memory) (*image, error) {
	fd, err := unix.MemfdCreate("watchbed guest", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("no memory for the image of a guest: %w", err)
	}
	if err := unix.Ftruncate(fd, int64(len(m.whole))); err != nil {
		return nil, err
	}
	bytes, err := unix.Mmap(fd, 0, len(m.whole), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	zero := make([]byte, pageSize)
	for at := 0; at < len(m.bytes); at += pageSize {
		if page := m.bytes[at : at+pageSize]; string(page) != string(zero) {
			copy(bytes[at:], page)
		}
	}
	return &image{fd, bytes}, nil
}

func (i *image) page(n int) []byte { return i.bytes[n*pageSize : (n+1)*pageSize] }

// mapImage makes the image the contents of the memory.
func (m *memory) mapImage(i *image) error {
	_, _, errno := unix.Syscall6(unix.SYS_MMAP, uintptr(unsafe.Pointer(unsafe.SliceData(m.whole))), uintptr(len(m.whole)),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED|unix.MAP_NORESERVE, uintptr(i.fd), 0)
	if errno != 0 {
		return fmt.Errorf("the memory of a guest cannot be mapped: %w", errno)
	}
	return nil
}
