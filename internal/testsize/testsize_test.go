package testsize

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSizes(t *testing.T) {
	t.Setenv(variable, "")
	usual := 2
	if testing.Short() {
		usual = 1
	}
	assert.Equal(t, usual, Of(3, 2, 1))
	assert.Equal(t, 7, Flag(7, 3, 2, 1))
	assert.Equal(t, usual, Flag(0, 3, 2, 1))
	assert.False(t, Full())

	t.Setenv(variable, "full")
	assert.Equal(t, !testing.Short(), Full())
	if !testing.Short() {
		assert.Equal(t, 3, Of(3, 2, 1))
	}

	t.Setenv(variable, "huge")
	assert.PanicsWithValue(t, "WATCHBED_TESTS=huge: want full, or nothing", func() { Full() })
}
