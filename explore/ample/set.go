package ample

import "math/bits"

// maxThreads is how many threads there can be.
const maxThreads = 256

// set is a set of threads, by their numbers.
type set [maxThreads / 64]uint64

func (s *set) add(i int)      { s[i>>6] |= 1 << (i & 63) }
func (s *set) has(i int) bool { return s[i>>6]&(1<<(i&63)) != 0 }

func (s *set) addAll(other *set) {
	for i, word := range other {
		s[i] |= word
	}
}

func (s *set) keep(other *set) {
	for i, word := range other {
		s[i] &= word
	}
}

func (s *set) meets(other *set) bool {
	for i, word := range other {
		if s[i]&word != 0 {
			return true
		}
	}
	return false
}

// without is what is in this set and not in the other one.
func (s *set) without(other *set) (o set) {
	for i, word := range s {
		o[i] = word &^ other[i]
	}
	return o
}

// next is the first one from i on, -1 if there is none.
func (s *set) next(i int) int {
	for ; i < maxThreads; i = (i | 63) + 1 {
		if word := s[i>>6] >> (i & 63); word != 0 {
			return i + bits.TrailingZeros64(word)
		}
	}
	return -1
}
