package prove_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/prove"
)

// Where many states have the same first half of a fingerprint, a search whose keys have no other
// takes them for one and loses what comes after them. With keys of both halves it loses none:
// neither in memory, nor in files, nor in the graph of a goal.
func TestLongKeysTellApartWhatTheFirstHalfDoesNot(t *testing.T) {
	nodes := []walker{{steps: 16, ring: 16}, {steps: 16, ring: 16}, {steps: 15, ring: 15, dice: true}}
	wrong := func(at []*walker) bool { return at[0].done == 12 && at[1].done == 13 && at[2].side == 2 }
	for name, s := range map[string]struct {
		property string
		subject  func() prove.Subject
	}{
		"holds":    {"right", func() prove.Subject { return &walk{nodes: nodes} }},
		"violated": {"right", func() prove.Subject { return &walk{nodes: nodes, wrong: wrong} }},
		"loop":     {"lit", func() prove.Subject { return &room{plan: lamp{wet: true, modulo: 199}} }},
	} {
		t.Run(name, func(t *testing.T) {
			search := func(cfg prove.Config) *prove.Result {
				r, err := prove.Search(context.Background(), s.subject, []string{s.property}, cfg)
				require.NoError(t, err)
				return r
			}
			right := search(prove.Config{Workers: 2})
			weak := prove.Weak(prove.Config{Workers: 2}, 4)
			require.Less(t, search(weak).States, right.States, "the hash is too good for this test")
			require.LessOrEqual(t, search(weak).States, 1<<4)

			want := same(right)
			want.KeyBits = 128
			weak.KeyBits = 128
			require.Equal(t, want, same(search(weak)))
			weak.Keep = keepIn(t.TempDir())
			if name != "loop" {
				weak.Bytes = 2 * tiny
			}
			filed := search(weak)
			if name != "loop" {
				require.Greater(t, filed.Filed, right.States/2)
			}
			require.Equal(t, want, same(filed))
			again := search(weak)
			require.Equal(t, right.States, again.Resumed)
			require.Equal(t, want, same(again))
		})
	}
}

func TestCollisionBoundOfLongKeys(t *testing.T) {
	r := &prove.Result{States: 1 << 20, KeyBits: 128}
	require.InEpsilon(t, 1.6e-27, r.Collision(), 0.02)
}

func TestDirectoryWithOtherKeysIsRefused(t *testing.T) {
	dir := t.TempDir()
	search := func(bits int) error {
		subject := func() prove.Subject { return &walk{nodes: []walker{{steps: 5}}} }
		_, err := prove.Search(context.Background(), subject, []string{"right"}, prove.Config{KeyBits: bits, Keep: keepIn(dir)})
		return err
	}
	require.NoError(t, search(64))
	require.NoError(t, search(0))
	require.ErrorContains(t, search(128), "it has --keys=64, and this one --keys=128")
	dir = t.TempDir()
	require.NoError(t, search(128))
	require.NoError(t, search(128))
	require.ErrorContains(t, search(64), "it has --keys=128, and this one --keys=64")
}
