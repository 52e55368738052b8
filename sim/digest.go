package sim

import "math/bits"

// Digest is a running hash: of a trace, a message or a state. It is a plain value; each
// method returns the digest with one more thing mixed in. It never depends on the machine,
// the process or a pointer.
type Digest struct{ sum uint64 }

// NewDigest is the digest of nothing.
var NewDigest = Seeded(0x9e3779b97f4a7c15)

// Seeded is another beginning.
func Seeded(seed uint64) Digest { return Digest{seed} }

// Sum is the digest as a number.
func (d Digest) Sum() uint64 { return d.sum }

// Times is as many of this digest, added up.
func (d Digest) Times(n uint64) Digest { return Digest{d.sum * n} }

// Word mixes in one word. Multiplying 64x64 to 128 bits and folding the halves
// (as in wyhash) costs about one nanosecond.
func (d Digest) Word(x uint64) Digest {
	hi, lo := bits.Mul64(d.sum^x, 0xa0761d6478bd642f)
	return Digest{hi ^ lo ^ 0xe7037ed1a0b428db}
}

// Fold mixes in another digest.
func (d Digest) Fold(x Digest) Digest { return d.Word(x.sum) }

// And adds another digest, where what is summed up has no order.
func (d Digest) And(x Digest) Digest { return Digest{d.sum + x.sum} }

// Int mixes in a number.
func (d Digest) Int(x int64) Digest { return d.Word(uint64(x)) }

// Bool mixes in a truth value.
func (d Digest) Bool(b bool) Digest {
	if b {
		return d.Word(1)
	}
	return d.Word(2)
}

// If mixes in a text if a condition holds, Set a number unless it is 0. A field that a type got later leaves the
// digests of values without it as they were.
func (d Digest) If(is bool, text string) Digest {
	if is {
		return d.Text(text)
	}
	return d
}

// Set mixes in a number that is not 0.
func (d Digest) Set(x int64) Digest {
	if x != 0 {
		return d.Int(x)
	}
	return d
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
