package engine

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
)

const pageSize = 4096

// wasmPageSize is the unit in which WebAssembly gives out memory.
const wasmPageSize = 1 << 16

// State is what a guest has changed since the beginning of its run. It does not change.
type State struct {
	// pages are in the order of their numbers.
	pages   []page
	globals []uint64
	// size is how much memory the guest has, in bytes.
	size int
}

// page is a part of the memory.
type page struct {
	number int
	bytes  []byte
}

// save is the state of the guest that is in the machine.
func (m *machine) save() *State {
	s := &State{globals: m.readGlobals(), size: len(m.memory.bytes)}
	for _, n := range m.memory.touched() {
		now, before := m.memory.page(n), m.module.image.page(n)
		if !bytes.Equal(now, before) {
			s.pages = append(s.pages, page{n, bytes.Clone(now)})
		}
	}
	return s
}

// load puts a guest into the machine. It may have grown its memory in another one.
func (m *machine) load(s *State) {
	if lacks := s.size - len(m.memory.bytes); lacks > 0 {
		m.instance.Memory().Grow(uint32(lacks / wasmPageSize))
	}
	rest := s.pages
	for _, n := range m.memory.touched() {
		for len(rest) > 0 && rest[0].number < n {
			copy(m.memory.page(rest[0].number), rest[0].bytes)
			rest = rest[1:]
		}
		if len(rest) > 0 && rest[0].number == n {
			copy(m.memory.page(n), rest[0].bytes)
			rest = rest[1:]
			continue
		}
		copy(m.memory.page(n), m.module.image.page(n))
	}
	for _, p := range rest {
		copy(m.memory.page(p.number), p.bytes)
	}
	for i, g := range m.globals {
		g.Set(s.globals[i])
	}
}

func (s *State) hash() uint64 {
	h := fnv.New64a()
	var word [8]byte
	number := func(n uint64) {
		binary.LittleEndian.PutUint64(word[:], n)
		h.Write(word[:])
	}
	for _, g := range s.globals {
		number(g)
	}
	for _, p := range s.pages {
		number(uint64(p.number))
		h.Write(p.bytes)
	}
	return h.Sum64()
}
