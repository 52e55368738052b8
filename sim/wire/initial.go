package wire

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim"
)

// Initial are the key-values that an etcd began with, in the order of their keys. All runs that
// begin with them share them, and so do all answers that show them: nothing may change them,
// and unlike other key-values they stay what they are in the next run.
//
// An etcd that begins with few has none of this.
type Initial struct {
	Kvs []*KeyValue
	// sums are the digests of the first key-values, from none to all.
	sums []sim.Digest
}

// NewInitial takes key-values in the order of their keys.
func NewInitial(kvs []*KeyValue) Initial {
	in := Initial{Kvs: kvs, sums: make([]sim.Digest, 1, len(kvs)+1)}
	for i, kv := range kvs {
		in.sums = append(in.sums, in.sums[i].Times(base).And(kv.Digest(sim.NewDigest)))
	}
	return in
}

// longList is the number of key-values from which on the digest of a list is made of the
// digests of parts of it. No page of a list in the catalogue is as long.
const longList = 4096

// base is that of the polynomial whose coefficients are the digests of a list: with it the
// digest of a part follows from those of what is before the part, and of all up to its end.
const base = 0xa0761d6478bd642f

// digestLong is the digest of a long list. It depends on the key-values and on their order,
// however much of it is known.
func (r *RangeResponse) digestLong(d sim.Digest) sim.Digest {
	sum, known := r.initial.sum(r.Kvs)
	if !known {
		for _, kv := range r.Kvs {
			sum = sum.Times(base).And(kv.Digest(sim.NewDigest))
		}
	}
	return d.Int(int64(len(r.Kvs))).Fold(sum)
}

// sum is the digest of a list, if the list is a part of these.
func (in *Initial) sum(list []*KeyValue) (sum sim.Digest, known bool) {
	if in == nil {
		return sim.Digest{}, false
	}
	from := in.Search(list[0].Key)
	to := from + len(list)
	if to > len(in.Kvs) || &in.Kvs[from] != &list[0] {
		return sim.Digest{}, false
	}
	power := uint64(1)
	for n, square := len(list), uint64(base); n > 0; n, square = n>>1, square*square {
		if n&1 != 0 {
			power *= square
		}
	}
	return in.sums[to].And(in.sums[from].Times(-power)), true
}

// Within are the places of the keys of etcd's range [key, end), which is not a single key.
func (in *Initial) Within(key, end string) (from, to int) {
	from, to = in.Search(key), len(in.Kvs)
	if end != "\x00" {
		to = max(from, in.Search(end))
	}
	return from, to
}

// Search is the place of the first key that is not less.
func (in *Initial) Search(key string) int {
	at, _ := slices.BinarySearchFunc(in.Kvs, key, func(kv *KeyValue, key string) int { return strings.Compare(kv.Key, key) })
	return at
}

// Know says that the etcd which answers began with these. It is no part of the answer, and
// spares the client to take in again what it knows from another run.
func (r *RangeResponse) Know(in *Initial) { r.initial = in }

// Initial is what the etcd that answered began with, nil if that was little or is not known.
func (r *RangeResponse) Initial() *Initial { return r.initial }
