package registry_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/registry"
)

func filled() *registry.Registry[int] {
	r := registry.New[int]("scenario")
	r.Add("quiet", 1)
	r.Add("busy", 2)
	r.Add("outages", 3)
	return r
}

func TestListedInTheOrderOfRegistration(t *testing.T) {
	r := filled()
	assert.Equal(t, []int{1, 2, 3}, r.All())
	r.All()[0] = 7
	assert.Equal(t, 1, r.All()[0], "a list is the caller's")
}

func TestFindNamesTheNearest(t *testing.T) {
	r := filled()
	item, err := r.Find("busy")
	require.NoError(t, err)
	assert.Equal(t, 2, item)
	_, err = r.Find("outage")
	assert.EqualError(t, err, `unknown scenario "outage"; did you mean "outages"?`)
}

func TestDuplicateNamesPanic(t *testing.T) {
	assert.PanicsWithValue(t, `scenario "busy" is registered twice`, func() { filled().Add("busy", 4) })
	assert.PanicsWithValue(t, "a scenario without a name is registered", func() { filled().Add("", 4) })
}

func TestInsertKeepsAnOrder(t *testing.T) {
	r := registry.New[string]("word")
	byLength := func(a, b string) int { return len(a) - len(b) }
	for _, word := range []string{"three", "a", "seven", "no", "b"} {
		r.Insert(word, word, byLength)
	}
	assert.Equal(t, []string{"a", "b", "no", "three", "seven"}, r.All())
	assert.PanicsWithValue(t, `word "no" is registered twice`, func() { r.Insert("no", "no", byLength) })
}

func TestArrangeMovesNamedEntriesToTheFront(t *testing.T) {
	r := filled()
	r.Arrange("outages", "quiet")
	assert.Equal(t, []int{3, 1, 2}, r.All())
	assert.PanicsWithValue(t, `no scenario with the name "quick" is registered`, func() { r.Arrange("quick") })
}
