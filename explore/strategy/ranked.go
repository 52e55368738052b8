package strategy

// ranked puts an index in a list into the low bits of a rank, so that the
// greatest of many is found without a branch: such branches are hard to predict
// and cost more than the rest of a pick. Lists are far shorter than 2^16.
func ranked(rank uint64, index int) uint64 { return rank&^rankIndex | uint64(index) }

const rankIndex = 1<<16 - 1
