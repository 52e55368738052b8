//go:build !linux

package engine

// memory is the linear memory of a machine. Without Linux which pages were written to is not
// known: all of them are compared, which makes a run several times as slow.
type memory struct {
	whole, bytes []byte
	numbers      []int
}

func newMemory(size uint64) *memory { return &memory{whole: make([]byte, size)} }

// Reallocate implements experimental.LinearMemory.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.whole)) {
		return nil
	}
	m.bytes = m.whole[:size:len(m.whole)]
	return m.bytes
}

// Free implements experimental.LinearMemory.
func (m *memory) Free() { m.whole, m.bytes = nil, nil }

func (m *memory) page(n int) []byte { return m.whole[n*pageSize : (n+1)*pageSize] }

// image is the memory at the beginning of all runs of a module.
type image struct{ bytes []byte }

func newImage(m *memory) (*image, error) {
	i := &image{make([]byte, len(m.whole))}
	copy(i.bytes, m.bytes)
	return i, nil
}

func (i *image) page(n int) []byte { return i.bytes[n*pageSize : (n+1)*pageSize] }

// mapImage makes the image the contents of the memory.
func (m *memory) mapImage(i *image) error {
	copy(m.whole, i.bytes)
	return nil
}

func (m *memory) touched() []int {
	m.numbers = m.numbers[:0]
	for n := range len(m.bytes) / pageSize {
		m.numbers = append(m.numbers, n)
	}
	return m.numbers
}
