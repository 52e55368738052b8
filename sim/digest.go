package sim

import (
	"cmp"
	"math/bits"
)

// Digest is a running hash: of a trace, a message or a state. It is a plain value; each
// method returns the digest with one more thing mixed in. It never depends on the machine,
// the process or a pointer.
//
// It has two halves of 64 bits, by two functions with constants of their own. A digest that
// was mixed into another counts with both halves (Fold), so that what one function takes for
// the same, at any place of a state, the other still tells apart.
type Digest struct{ first, second uint64 }

// NewDigest is the digest of nothing.
var NewDigest = Seeded(0x9e3779b97f4a7c15)

// Seeded is another beginning.
func Seeded(seed uint64) Digest { return Digest{seed, seed ^ 0x589965cc75374cc3} }

// Sum is the first half.
func (d Digest) Sum() uint64 { return d.first }

// Halves are both, for what must tell apart more than 64 bits can.
func (d Digest) Halves() (first, second uint64) { return d.first, d.second }

// Times is as many of this digest, added up.
func (d Digest) Times(n uint64) Digest { return Digest{d.first * n, d.second * n} }

// Compare gives digests an order.
func (d Digest) Compare(x Digest) int {
	return cmp.Or(cmp.Compare(d.first, x.first), cmp.Compare(d.second, x.second))
}

// Word mixes in one word. Multiplying 64x64 to 128 bits and folding the halves
// (as in wyhash) costs about one nanosecond; the two functions do not wait for each other.
func (d Digest) Word(x uint64) Digest { return d.words(x, x) }

func (d Digest) words(first, second uint64) Digest {
	hi, lo := bits.Mul64(d.first^first, 0xa0761d6478bd642f)
	hi2, lo2 := bits.Mul64(d.second^second, 0x8ebc6af09c88c6e3)
	return Digest{hi ^ lo ^ 0xe7037ed1a0b428db, hi2 ^ lo2 ^ 0x1d8e4e27c47d124f}
}

// Fold mixes in another digest.
func (d Digest) Fold(x Digest) Digest { return d.words(x.first, x.second) }

// And adds another digest, where what is summed up has no order.
func (d Digest) And(x Digest) Digest { return Digest{d.first + x.first, d.second + x.second} }

// Int mixes in a number.
func (d Digest) Int(x int64) Digest { return d.Word(uint64(x)) }

// Bool mixes in a truth value.
func (d Digest) Bool(b bool) Digest {
	if b {
		return d.Word(1)
	}
	return d.Word(2)
}

// Text mixes in a string, its length included.
func (d Digest) Text(s string) Digest {
	d = d.Word(uint64(len(s)) | 1<<63)
	for len(s) >= 8 {
		d = d.Word(uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56)
		s = s[8:]
	}
	if len(s) == 0 {
		return d
	}
	var w uint64
	for i := 0; i < len(s); i++ {
		w |= uint64(s[i]) << (8 * i)
	}
	return d.Word(w)
}
