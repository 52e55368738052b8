package store_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// TestFieldAndLabelBothSelect: an object is selected if both parts of a selector match. A
// label that it does not have, or that no object has, selects nothing.
func TestFieldAndLabelBothSelect(t *testing.T) {
	fields := store.Fields{
		{Name: "node", Value: func(kv *wire.KeyValue) string { return kv.Value[:1] }},
		{Name: "app", IsLabel: true, Value: func(kv *wire.KeyValue) string { return kv.Value[1:] }},
	}
	web, bare := &wire.KeyValue{Value: "aweb"}, &wire.KeyValue{Value: "a"}
	for _, c := range []struct {
		selector  wire.Selector
		web, bare bool
	}{
		{wire.Selector{}, true, true},
		{wire.Selector{Field: "node", Value: "a"}, true, true},
		{wire.Selector{Field: "node", Value: "b"}, false, false},
		{wire.Selector{Label: "app", LabelValue: "web"}, true, false},
		{wire.Selector{Label: "app", LabelValue: "db"}, false, false},
		{wire.Selector{Label: "app"}, false, false},
		{wire.Selector{Label: "none", LabelValue: "web"}, false, false},
		{wire.Selector{Field: "node", Value: "a", Label: "app", LabelValue: "web"}, true, false},
		{wire.Selector{Field: "node", Value: "b", Label: "app", LabelValue: "web"}, false, false},
		{wire.Selector{Field: "node", Value: "a", Label: "app", LabelValue: "db"}, false, false},
	} {
		assert.Equal(t, c.web, fields.Selects(c.selector, web), "%+v", c.selector)
		assert.Equal(t, c.bare, fields.Selects(c.selector, bare), "%+v", c.selector)
	}
	for _, c := range []struct {
		and       wire.Selector
		web, bare bool
	}{
		{wire.Selector{}, true, true},
		{wire.Selector{Field: "node", Value: "a"}, true, true},
		{wire.Selector{Field: "node", Value: "b"}, false, false},
		{wire.Selector{Label: "app", LabelValue: "web"}, true, false},
		{wire.Selector{Label: "app", LabelValue: "web", And: &wire.Selector{Label: "app", LabelValue: "db"}}, false, false},
	} {
		selector := wire.Selector{Field: "node", Value: "a", And: &c.and}
		assert.Equal(t, c.web, fields.Selects(selector, web), "%v", selector)
		assert.Equal(t, c.bare, fields.Selects(selector, bare), "%v", selector)
	}
	and := wire.Selector{Field: "node", And: &wire.Selector{Field: "none"}}
	assert.Equal(t, "none", fields.Unsupported(and), "of each term")
	assert.Nil(t, fields.Find("app"), "no field has the name of a label")
}
