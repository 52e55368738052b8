package prove

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/watchbed/watchbed/sim"
)

// key tells states apart: both halves of a fingerprint, or the first one alone. The second is
// 0 then.
type key struct{ first, second uint64 }

// keyForm says how much of a fingerprint a key has.
type keyForm struct {
	wide bool
	// mask is what is left of the first half, all of it but in a test.
	mask uint64
}

func formOf(cfg *Config) keyForm {
	f := keyForm{wide: cfg.KeyBits == 128, mask: ^uint64(0)}
	if cfg.weak > 0 {
		f.mask = 1<<cfg.weak - 1
	}
	return f
}

// of makes the key of a state. The first half is not 0, which is an empty place.
func (f keyForm) of(fingerprint sim.Digest) key {
	var k key
	first, second := fingerprint.Halves()
	if k.first = first & f.mask; k.first == 0 {
		k.first = 1
	}
	if f.wide {
		k.second = second
	}
	return k
}

// bytes is how long a key is.
func (f keyForm) bytes() int {
	if f.wide {
		return 16
	}
	return 8
}

func (f keyForm) put(to []byte, k key) []byte {
	to = binary.LittleEndian.AppendUint64(to, k.first)
	if f.wide {
		to = binary.LittleEndian.AppendUint64(to, k.second)
	}
	return to
}

// read reads a key at the beginning of these bytes.
func (f keyForm) read(b []byte) (k key) {
	if k.first = binary.LittleEndian.Uint64(b); f.wide {
		k.second = binary.LittleEndian.Uint64(b[8:])
	}
	return k
}

func (k key) halves() [2]uint64 { return [2]uint64{k.first, k.second} }

// hash says where in a table a key is looked for.
func (k key) hash() uint64 { return k.first ^ k.second }

func (k key) compare(other key) int {
	if c := cmp.Compare(k.first, other.first); c != 0 {
		return c
	}
	return cmp.Compare(k.second, other.second)
}

// keys are many. Those of one half have no second column.
type keys struct{ first, second []uint64 }

func (f keyForm) newKeys(n int) keys {
	k := keys{first: make([]uint64, n)}
	if f.wide {
		k.second = make([]uint64, n)
	}
	return k
}

func (k *keys) at(i int) key {
	if k.second == nil {
		return key{first: k.first[i]}
	}
	return key{k.first[i], k.second[i]}
}

func (k *keys) set(i int, to key) {
	if k.first[i] = to.first; k.second != nil {
		k.second[i] = to.second
	}
}

// is reports whether this key is in a place.
func (k *keys) is(i int, other key) bool {
	return k.first[i] == other.first && (k.second == nil || k.second[i] == other.second)
}

func (k *keys) append(f keyForm, other key) {
	if k.first = append(k.first, other.first); f.wide {
		k.second = append(k.second, other.second)
	}
}

func (k *keys) cut(n int) {
	if k.first = k.first[:n]; k.second != nil {
		k.second = k.second[:n]
	}
}

func (k *keys) sort() {
	if k.second == nil {
		slices.Sort(k.first)
		return
	}
	sort.Sort(k)
}

// Len implements sort.Interface, as do the next two.
func (k *keys) Len() int { return len(k.first) }

func (k *keys) Less(i, j int) bool { return k.at(i).compare(k.at(j)) < 0 }

func (k *keys) Swap(i, j int) {
	k.first[i], k.first[j] = k.first[j], k.first[i]
	k.second[i], k.second[j] = k.second[j], k.second[i]
}

// bytes is how much memory they take.
func (k *keys) bytes() int { return 8*cap(k.first) + 8*cap(k.second) }
