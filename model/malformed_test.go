package model_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	_ "github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
)

// TestWrittenTwice: which keys the levels of a transaction may write, as in checkIntervals of
// etcd's v3rpc/key.go.
func TestWrittenTwice(t *testing.T) {
	put := func(key string) model.Request { return model.Request{Kind: model.Put, Key: key} }
	remove := func(key, end string) model.Request { return model.Request{Kind: model.Delete, Key: key, End: end} }
	then := func(ops ...model.Request) model.Request { return model.Request{Kind: model.Txn, Success: ops} }
	either := func(a, b model.Request) model.Request {
		return model.Request{Kind: model.Txn, Success: []model.Request{a}, Failure: []model.Request{b}}
	}
	for name, c := range map[string]struct {
		txn     model.Request
		refused bool
	}{
		"put twice at two levels":                     {then(put("a"), then(put("a"))), true},
		"put in two inner ones":                       {then(then(put("a")), then(put("a"))), true},
		"put in two branches of an inner one":         {then(either(put("a"), put("a"))), false},
		"put in one branch and deleted in the other":  {then(either(put("a"), remove("a", ""))), false},
		"put in a branch and at the outer level":      {then(either(put("a"), put("b")), put("b")), true},
		"deleted outside, put inside":                 {then(then(put("b")), remove("a", "c")), true},
		"deleted inside, put outside":                 {then(put("b"), then(remove("a", "c"))), true},
		"deleted inside, put in the next one":         {then(then(remove("a", "c")), then(put("b"))), true},
		"put inside, deleted in the next one":         {then(then(put("b")), then(remove("a", "c"))), false},
		"deleted from a key on, which is not seen":    {then(remove("a", "\x00"), then(put("b"))), false},
		"deleted twice":                               {then(remove("a", "c"), then(remove("b", ""))), false},
		"put inside, deleted two levels further down": {then(then(put("b")), then(then(remove("b", "")))), false},
	} {
		assert.Equal(t, c.refused, c.txn.Malformed(), name)
	}
}

// TestPartsOfLevels: the longest list of each level counts, together with those around it.
func TestPartsOfLevels(t *testing.T) {
	gets := func(n int) []model.Request {
		all := make([]model.Request, n)
		for i := range all {
			all[i] = model.Request{Kind: model.Get, Key: "a"}
		}
		return all
	}
	within := func(outer, inner int) *model.Request {
		return &model.Request{Kind: model.Txn, Success: append(gets(outer-1), model.Request{Kind: model.Txn, Success: gets(inner)})}
	}
	assert.False(t, within(100, 28).Malformed())
	assert.True(t, within(100, 29).Malformed())
}
