package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text          string
		width, indent int
		want          string
	}{
		{"", 40, 2, ""},
		{"one two", 40, 2, "one two"},
		{"aaaaaaaaaa bbbbbbbbbb cccccccccc", 24, 3, "aaaaaaaaaa bbbbbbbbbb\n   cccccccccc"},
		{"averylongwordthatdoesnotfitanywhere x", 10, 0, "averylongwordthatdoesnotfitanywhere\nx"},
	} {
		require.Equal(t, c.want, wrap(c.text, c.width, c.indent))
	}
}
