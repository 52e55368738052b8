// Package intern gives small numbers to what comes again and again, so that a search compares
// numbers in place of what they stand for.
//
// It must never import anything of this module.
package intern

// Pairs numbers pairs of numbers, from 1 on, each pair once. A sequence is numbered pair by pair:
// the number of all but its last element, with the last element. So two sequences have one number
// if they are equal, and only then. The first number of a pair is not 0. Its zero value is empty.
type Pairs struct {
	// pairs and numbers are a table with open addressing, at most half full; a pair of 0 is an empty
	// place.
	pairs   []uint64
	numbers []uint32
	last    uint32
}

const leastPlaces = 1 << 6

// Find is the number of a pair, 0 if it has none.
func (p *Pairs) Find(first, second uint32) uint32 {
	if len(p.pairs) == 0 {
		return 0
	}
	return p.numbers[p.place(pair(first, second))]
}

// Number is the number of a pair, a new one if it has none.
func (p *Pairs) Number(first, second uint32) uint32 {
	if 2*int(p.last) >= len(p.pairs) {
		p.grow()
	}
	x := pair(first, second)
	i := p.place(x)
	if p.pairs[i] == 0 {
		p.last++
		p.pairs[i], p.numbers[i] = x, p.last
	}
	return p.numbers[i]
}

// Last is the greatest number that a pair has: how many pairs there are.
func (p *Pairs) Last() uint32 { return p.last }

func pair(first, second uint32) uint64 { return uint64(first)<<32 | uint64(second) }

// place is where a pair is, or an empty place for it.
func (p *Pairs) place(x uint64) int {
	mask := len(p.pairs) - 1
	h := x * 0x9e3779b97f4a7c15
	i := int(h>>32) & mask
	for p.pairs[i] != x && p.pairs[i] != 0 {
		i = (i + 1) & mask
	}
	return i
}

func (p *Pairs) grow() {
	pairs, numbers := p.pairs, p.numbers
	n := max(2*len(pairs), leastPlaces)
	p.pairs, p.numbers = make([]uint64, n), make([]uint32, n)
	for i, x := range pairs {
		if x != 0 {
			at := p.place(x)
			p.pairs[at], p.numbers[at] = x, numbers[i]
		}
	}
}
