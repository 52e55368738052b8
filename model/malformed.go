package model

// maxTxnOps is how many compares, and how many operations in a branch, etcd takes:
// --max-txn-ops.
const maxTxnOps = 128

// Malformed reports whether etcd has to refuse a request whatever its contents are: a key
// is missing, a transaction has too many parts, or it writes a key twice.
func (r *Request) Malformed() bool {
	switch r.Kind {
	case Compact:
		return false
	case Txn:
		return r.malformedTxn()
	}
	return r.Key == ""
}

func (r *Request) malformedTxn() bool {
	if len(r.Compare) > maxTxnOps {
		return true
	}
	for i := range r.Compare {
		if r.Compare[i].Key == "" {
			return true
		}
	}
	for _, branch := range [...][]Request{r.Success, r.Failure} {
		if len(branch) > maxTxnOps || writesTwice(branch) {
			return true
		}
		for i := range branch {
			if branch[i].Malformed() {
				return true
			}
		}
	}
	return false
}

// writesTwice reports whether a key is put that is put or deleted by another operation.
// Deletes may overlap. Here etcd takes the end "\x00" literally: a deletion of everything
// from a key on overlaps nothing.
func writesTwice(branch []Request) bool {
	for i := range branch {
		if branch[i].Kind != Put {
			continue
		}
		for k := range branch {
			switch other := &branch[k]; {
			case k != i && other.Kind == Put && other.Key == branch[i].Key:
				return true
			case other.Kind == Delete && other.End != "\x00" && InRange(branch[i].Key, other.Key, other.End):
				return true
			}
		}
	}
	return false
}
