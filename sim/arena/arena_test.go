package arena_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/sim/arena"
)

func TestValuesAreZeroAndApart(t *testing.T) {
	var a arena.Arena[int]
	for range 2 {
		var all []*int
		for i := range 100 {
			p := a.New()
			assert.Zero(t, *p)
			*p = i + 1
			all = append(all, p)
		}
		for i, p := range all {
			assert.Equal(t, i+1, *p)
		}
		a.Rewind()
	}
}

func TestTakeGivesNoRoomToGrow(t *testing.T) {
	var a arena.Arena[int]
	first, second := a.Take(3), a.Take(2)
	_ = append(first, 7)
	assert.Equal(t, []int{0, 0}, second)
	assert.Len(t, a.Take(1000), 1000)
}

func TestCloneHandsOutValuesOfItsOwn(t *testing.T) {
	var a arena.Arena[int]
	*a.New() = 7
	b := a.Clone()
	var all []*int
	for i := range 100 {
		for _, from := range []*arena.Arena[int]{&a, &b} {
			p := from.New()
			assert.Zero(t, *p)
			*p = i + 1
			all = append(all, p)
		}
	}
	for i, p := range all {
		assert.Equal(t, i/2+1, *p)
	}
}
