package strategy

import (
	"math/bits"
)

// Rand is SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
// Generators, OOPSLA 2014). It is written out here because a seed must mean the
// same run in every version of Go on every machine, and because one multiplication
// more or less shows in the time of a choice.
type Rand struct{ state uint64 }

const goldenGamma = 0x9e3779b97f4a7c15

// mix is the output function of SplitMix64, a bijection.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Seed starts the sequence of a seed. The sequences of one seed for different
// purposes have nothing to do with each other.
func (r *Rand) Seed(seed, purpose uint64) { r.state = mix(seed*goldenGamma + purpose) }

// Next returns the next 64 random bits.
func (r *Rand) Next() uint64 {
	r.state += goldenGamma
	return mix(r.state)
}

// Below returns a number in [0, n). The multiplication favours some numbers by
// n in 2^64 (Lemire: Fast Random Integer Generation in an Interval, 2019), which
// is far below what any test can notice.
func (r *Rand) Below(n int) int {
	hi, _ := bits.Mul64(r.Next(), uint64(n))
	return int(hi)
}

// ranked puts an index in a list into the low bits of a rank, so that the
// greatest of many is found without a branch: such branches are hard to predict
// and cost more than the rest of a pick. Lists are far shorter than 2^16.
func ranked(rank uint64, index int) uint64 { return rank&^rankIndex | uint64(index) }

const rankIndex = 1<<16 - 1
