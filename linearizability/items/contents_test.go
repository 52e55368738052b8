package items

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/watchbed/watchbed/model"
)

// Contents must be the store of the specification, only faster: the same
// requests get the same answers, and old clones do not change. Enough keys
// for several chunks.
func TestContentsAreTheModelsStore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SampledFrom([]int{3, 500}).Draw(t, "keys")
		persistent := rapid.Bool().Draw(t, "persistent")
		// A base of few items has more of its cases in a short run.
		known := Bases{Least: rapid.SampledFrom([]int{1, leastBase}).Draw(t, "least")}
		name := func() string { return fmt.Sprintf("k%03d", rapid.IntRange(0, keys-1).Draw(t, "key")) }
		init := model.Initial{Revision: 600}
		for i := range rapid.IntRange(0, keys).Draw(t, "initial") {
			init.Items = append(init.Items, &model.Item{Key: fmt.Sprintf("k%03d", i), CreateRevision: int64(i + 1), ModRevision: int64(i + 1), Version: 1})
		}
		c := Contents{Arena: new(Arena), Persistent: persistent}
		before := slices.Clone(init.Items)
		c.Reset(init.Items, known.Of(init.Items))
		store := model.NewStore(init)
		type frozen struct {
			Contents
			store *model.Store
		}
		var clones []frozen
		var scratch []*model.Item
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			if persistent && rapid.IntRange(0, 9).Draw(t, "clone") == 0 {
				clones = append(clones, frozen{c, store.Clone()})
				c = c.Clone()
			}
			r := anyRequest(t, name)
			before := store.Revision()
			want := store.Apply(r)
			if !r.IsWrite() {
				require.True(t, c.Answers(r, &want, &scratch))
				want.Count++
				require.False(t, c.Answers(r, &want, &scratch))
				continue
			}
			if store.Revision() == before {
				require.True(t, c.Idle(r, &want, &scratch))
			}
			changed, right := c.Apply(r, &want, before+1, &scratch)
			require.True(t, right)
			require.Equal(t, store.Revision() > before, changed)
			equalContents(t, &c, store)
		}
		for _, f := range clones {
			equalContents(t, &f.Contents, f.store)
		}
		if b := known.last; b != nil {
			require.Equal(t, before, b.items, "the base is for the next history, too")
		}
	})
}

func equalContents(t *rapid.T, c *Contents, store *model.Store) {
	var scratch []*model.Item
	have := c.Between("", "\x00", &scratch)
	require.Len(t, have, store.Len())
	i := 0
	store.Ascend("", "\x00", func(want *model.Item) bool {
		require.Equal(t, *want, *have[i])
		require.Equal(t, *want, *c.Get(want.Key))
		i++
		return true
	})
	if c.Persistent {
		require.Equal(t, store.Digest(), c.digest)
	}
}

func anyRequest(t *rapid.T, name func() string) *model.Request {
	ends := func() string {
		if rapid.Bool().Draw(t, "to the end") {
			return "\x00"
		}
		return name()
	}
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0, 1:
		return &model.Request{Kind: model.Put, Key: name(), Value: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "value")}
	case 2:
		return &model.Request{Kind: model.Delete, Key: name()}
	case 3:
		from := name()
		return &model.Request{Kind: model.Delete, Key: from, End: from + "5"}
	case 4:
		key := name()
		return &model.Request{
			Kind:    model.Txn,
			Compare: []model.Compare{{Key: key, Target: model.CompareVersion, Op: model.CompareOp(rapid.IntRange(0, 3).Draw(t, "op")), Operand: 1}},
			Success: []model.Request{{Kind: model.Put, Key: key}, {Kind: model.Delete, Key: name(), End: name()}, {Kind: model.List, Key: name(), End: ends()}},
			Failure: []model.Request{{Kind: model.Get, Key: key}, {Kind: model.Delete, Key: name()}},
		}
	case 5:
		return &model.Request{Kind: model.Get, Key: name()}
	default:
		return &model.Request{Kind: model.List, Key: name(), End: ends(),
			Limit: int64(rapid.IntRange(0, 3).Draw(t, "limit")), CountOnly: rapid.Bool().Draw(t, "count"), KeysOnly: rapid.Bool().Draw(t, "keys only")}
	}
}
