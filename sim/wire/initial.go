package wire

// Initial are the key-values that an etcd began with, in the order of their keys. All runs that
// begin with them share them, and so do all answers that show them: nothing may change them,
// and unlike other key-values they stay what they are in the next run.
//
// An etcd that begins with few has none of this.
type Initial struct {
	Kvs []*KeyValue
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
	i, j := 0, len(in.Kvs)
	for i < j {
		h := int(uint(i+j) >> 1)
		if in.Kvs[h].Key < key {
			i = h + 1
		} else {
			j = h
		}
	}
	return i
}

// Know says that the etcd which answers began with these. It is no part of the answer, and
// spares the client to take in again what it knows from another run.
func (r *RangeResponse) Know(in *Initial) { r.initial = in }

// Initial is what the etcd that answered began with, nil if that was little or is not known.
func (r *RangeResponse) Initial() *Initial { return r.initial }
