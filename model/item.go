// Package model (unstable) says what correct means: the revisioned key-value
// store as a sequential specification, the operations that clients record, and
// the contract of a watch.
//
// It is the independent judge of the simulation. It must never import any other
// package of this module, and it must never share code with the store in
// sim/etcd: a mistake in shared code would hide in both.
package model

import (
	"fmt"
	"math/bits"
	"slices"
)

// Item is one key with its value and its history counters, as etcd's KeyValue
// reports them. Items are immutable once they are shared.
type Item struct {
	Key            string `json:"key"`
	Value          string `json:"value,omitempty"`
	CreateRevision int64  `json:"create,omitempty"`
	ModRevision    int64  `json:"mod,omitempty"`
	Version        int64  `json:"version,omitempty"`
	// Lease is the lease that the key is attached to, 0 if it has none.
	Lease int64 `json:"lease,omitempty"`
}

// FitsLease reports whether an item that was answered says of the lease what the stored one
// has. One with all revisions and the version is etcd's whole KeyValue, which is on no lease if
// it shows none; of others only the lease that they show counts.
func (it *Item) FitsLease(stored *Item) bool {
	whole := it.ModRevision != 0 && it.CreateRevision != 0 && it.Version != 0
	return it.Lease == stored.Lease || it.Lease == 0 && !whole
}

// Digest is a 64-bit hash of everything in the item. The sum of the digests of
// a set of items identifies the set. The sum does not depend on an order, so a
// store can update it in O(1) per write.
func (it *Item) Digest() uint64 {
	h := digestString(0x9e3779b97f4a7c15, it.Key)
	h = digestString(h, it.Value)
	h = mix(h^uint64(it.CreateRevision), 0xe7037ed1a0b428db)
	h = mix(h^uint64(it.ModRevision), 0x8ebc6af09c88c6e3)
	h = mix(h^uint64(it.Version), 0x589965cc75374cc3)
	if it.Lease != 0 {
		h = mix(h^uint64(it.Lease), 0x1d8e4e27c47d124f)
	}
	return h
}

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0xa0761d6478bd642f, b)
	return hi ^ lo
}

func digestString(h uint64, s string) uint64 {
	h ^= uint64(len(s)) * 0xff51afd7ed558ccd
	for len(s) >= 8 {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		h = mix(h^w, 0xe7037ed1a0b428db)
		s = s[8:]
	}
	var w uint64
	for i := 0; i < len(s); i++ {
		w |= uint64(s[i]) << (8 * i)
	}
	return mix(h^w, 0x8ebc6af09c88c6e3)
}

// InRange reports whether key lies in the range that etcd writes as (key, end):
// an empty end is the single key, "\x00" is "from key on".
func InRange(k, key, end string) bool {
	switch end {
	case "":
		return k == key
	case "\x00":
		return k >= key
	default:
		return k >= key && k < end
	}
}

// everything is the key, and the end, of the range of all keys.
const everything = "\x00"

// PrefixEnd is the end of the range of all keys that start with prefix.
func PrefixEnd(prefix string) string {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			return prefix[:i] + string([]byte{prefix[i] + 1})
		}
	}
	return "\x00"
}

// Outcome says what a client knows of its operation in the end.
type Outcome uint8

// A Done operation was answered. A Failed one was refused and had no effect.
// An Unknown one was given up: it may have happened, may happen later, or never.
const (
	Done Outcome = iota
	Failed
	Unknown
)

// Operation is one line of a history: what a client asked, when, and what it was
// answered. Call and Return are readings of one strictly increasing counter of
// the whole run, never of a clock: porcupine's intervals are closed, so two equal
// readings would make operations concurrent that were not. An Unknown operation
// has no return; its Return is math.MaxInt64.
type Operation struct {
	Client       int
	Call, Return int64
	Request      *Request
	Result       *Result
	Outcome      Outcome
	// Server names the server that answered. It is for readers only and may be
	// empty.
	Server string
	// Commit is the revision at which a write took effect, where ground truth
	// is at hand: -1 if it never did, 0 if that is unknown. Judges use it for
	// Unknown outcomes only.
	Commit int64
}

// History is what all clients of one run recorded.
type History struct {
	// Clients are the names that Operation.Client indexes.
	Clients []string
	// Initial is the store before the first operation.
	Initial Initial
	// Operations are in the order of their calls.
	Operations []Operation
	// Watchers are the clients that watched.
	Watchers []Watcher
	// Partial: other clients may have written, of which nothing is recorded.
	Partial bool
}

// Watcher is what one client was sent that watched, over all of its streams.
type Watcher struct {
	Client  string
	Streams []WatchStream
}

// Initial is the contents of a store before a history starts.
type Initial struct {
	Revision  int64
	Compacted int64
	Items     []*Item
}

// Verdict is the answer to "does this property hold?". The four are never
// folded into one another: a property that nothing exercised did not hold, and
// a checker that gave up found nothing out.
type Verdict uint8

// Holds: it was exercised and nothing was wrong. Violated: a counterexample is
// at hand. VerdictUnknown: a checker's budget ran out, or an outcome is unknown.
// Vacuous: it was claimed and never exercised.
const (
	Vacuous Verdict = iota
	Holds
	VerdictUnknown
	Violated
)

var verdictNames = [...]string{"vacuous", "holds", "unknown", "violated"}

func (v Verdict) String() string { return verdictNames[v] }

func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

func (v *Verdict) UnmarshalText(name []byte) error {
	i := slices.Index(verdictNames[:], string(name))
	if i < 0 {
		return fmt.Errorf("unknown verdict %q", name)
	}
	*v = Verdict(i)
	return nil
}

// And joins the verdicts of one property over several runs: a violation stays
// one, an unknown run leaves the whole unknown, and what was exercised once
// is not vacuous.
func (v Verdict) And(w Verdict) Verdict { return max(v, w) }

// Worst joins the verdicts of several properties: a violation decides, then what is unknown, then what was never
// exercised. That of none is vacuous.
func Worst(all ...Verdict) Verdict {
	for _, bad := range []Verdict{Violated, VerdictUnknown, Vacuous} {
		if slices.Contains(all, bad) {
			return bad
		}
	}
	if len(all) == 0 {
		return Vacuous
	}
	return Holds
}
