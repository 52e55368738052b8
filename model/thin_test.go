package model

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLongLogsMakeStoresAgain: what a long log says of any revision is what a store says to
// which the writes up to it were applied.
func TestLongLogsMakeStoresAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	key := func() string { return fmt.Sprintf("k%02d", rng.IntN(30)) }
	change := func() *Request {
		switch rng.IntN(8) {
		case 0:
			return &Request{Kind: Delete, Key: key()}
		case 1:
			return &Request{Kind: Delete, Key: "k1", End: "k2"}
		case 2:
			k := key()
			return &Request{Kind: Txn, Success: []Request{{Kind: Delete, Key: "k0", End: "k1"}, {Kind: Put, Key: k, Value: "of a txn"}, {Kind: Delete, Key: "k2", End: "k3"}}}
		case 3:
			return &Request{Kind: Put, Key: key(), Value: "leased", Lease: int64(1 + rng.IntN(5))}
		case 4:
			return &Request{Kind: []Kind{LeaseGrant, LeaseRevoke}[rng.IntN(2)], Lease: int64(1 + rng.IntN(5)), TTL: 10}
		}
		return &Request{Kind: Put, Key: key(), Value: fmt.Sprint(rng.Uint32())}
	}
	log := NewLog(Initial{Revision: 7})
	want := []*Store{log.At(7)}
	for log.Revision() < 7+allKept+20*storesApart {
		r := change()
		if rng.IntN(500) == 0 {
			r = &Request{Kind: Compact, Revision: log.Revision() - 5}
		}
		next := want[len(want)-1].Clone()
		next.Apply(r)
		log.Append(r)
		if next.Revision() == want[len(want)-1].Revision() {
			want[len(want)-1] = next
		} else {
			want = append(want, next)
		}
	}
	absent := 0
	for i := allKept - 10; i < len(log.stores); i++ {
		if log.stores[i] == nil {
			absent++
		}
		rev := 7 + int64(i)
		got := log.At(rev)
		require.True(t, want[i].Equal(got), "revision %d", rev)
		require.Equal(t, want[i].leases, got.leases, "revision %d", rev)
		for k := range 30 {
			key := fmt.Sprintf("k%02d", k)
			was, is := want[i-1].Get(key), log.before(rev, key)
			if was != is && (was == nil || is == nil || *was != *is) {
				t.Fatalf("key %s before revision %d is %v, want %v", key, rev, is, was)
			}
		}
	}
	require.Greater(t, absent, 10*storesApart)
	require.Nil(t, log.At(6))
	require.Nil(t, log.At(log.Revision()+1))
}
