package summary_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/diagnosis/summary"
)

func TestAmounts(t *testing.T) {
	for _, x := range []struct {
		value float64
		unit  string
		want  string
	}{
		{0, "s", "0"},
		{0.0000015, "s", "1.5 µs"},
		{0.0015, "s", "1.5 ms"},
		{0.0975, "s", "97.5 ms"},
		{0.25, "s", "250 ms"},
		{3, "s", "3 s"},
		{2.345, "s", "2.35 s"},
		{999, "bytes", "999 B"},
		{1170, "bytes", "1.17 kB"},
		{18.8e6, "bytes", "18.8 MB"},
		{12000, "", "12000"},
	} {
		assert.Equal(t, x.want, summary.Amount(x.value, x.unit))
	}
}
