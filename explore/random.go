package explore

import "math/bits"

// random is SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
// Generators, OOPSLA 2014). It is written out here because a seed must mean the
// same run in every version of Go on every machine, and because one multiplication
// more or less shows in the time of a choice.
type random struct{ state uint64 }

const goldenGamma = 0x9e3779b97f4a7c15

// mix is the output function of SplitMix64: a bijection that leaves no two
// inputs alike.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// seed starts the sequence of one seed. purpose keeps the sequences of
// different users of one seed apart.
func (r *random) seed(seed, purpose uint64) { r.state = mix(seed*goldenGamma + purpose) }

func (r *random) next() uint64 {
	r.state += goldenGamma
	return mix(r.state)
}

// below returns a number in [0, n). The multiplication favours some numbers by
// n in 2^64 (Lemire, 2019), which no test of ours could ever notice.
func (r *random) below(n int) int {
	hi, _ := bits.Mul64(r.next(), uint64(n))
	return int(hi)
}

// ranked puts a place in a list below a rank, so that the greatest of many can
// be found without a branch: those are hard to predict, and cost more than all
// the rest of a pick. Lists are shorter than 2^16 by far.
func ranked(rank uint64, place int) uint64 { return rank&^rankIndex | uint64(place) }

const rankIndex = 1<<16 - 1
