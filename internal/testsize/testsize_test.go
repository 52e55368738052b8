package testsize

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSizes(t *testing.T) {
	t.Setenv(variable, "")
	assert.Equal(t, 2, Of(3, 2))
	assert.Equal(t, 7, Flag(7, 3, 2))
	assert.Equal(t, 2, Flag(0, 3, 2))

	t.Setenv(variable, "full")
	assert.Equal(t, 3, Of(3, 2))
	assert.Equal(t, 3, Flag(0, 3, 2))

	t.Setenv(variable, "huge")
	assert.PanicsWithValue(t, "WATCHBED_TESTS=huge: want full, or nothing", func() { Full() })
}
