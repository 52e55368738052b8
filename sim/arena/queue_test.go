package arena_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/sim/arena"
)

// push adds v and returns the number that the queue said it would have.
func push(q *arena.Queue[string], v string) int64 {
	n := q.Next()
	q.Push(v)
	return n
}

func TestAnEntryKeepsItsRunningNumber(t *testing.T) {
	var q arena.Queue[string]
	assert.EqualValues(t, 1, push(&q, "a"))
	assert.EqualValues(t, 2, push(&q, "b"))
	assert.EqualValues(t, 1, q.First())
	assert.Equal(t, "a", q.Pop())
	assert.EqualValues(t, 2, q.First())
	assert.EqualValues(t, 3, push(&q, "c"))
	q.Clear()
	assert.EqualValues(t, 4, q.First())
	assert.EqualValues(t, 4, push(&q, "d"))
	assert.Equal(t, []string{"d"}, q.All())
}

func TestMemoryIsUsedAgain(t *testing.T) {
	var q arena.Queue[int]
	for i := range 4 {
		q.Push(i)
	}
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		q.Push(0)
		q.Pop()
	}), "the queue is never empty and does not grow")
}
