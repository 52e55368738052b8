package summary

import (
	"strconv"
	"strings"
	"time"
)

// Amount writes a value in a unit of Metric for people: three digits are enough.
func Amount(v float64, unit string) string {
	switch unit {
	case "s":
		return Seconds(v)
	case "bytes":
		return Bytes(v)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// Seconds writes a duration for people.
func Seconds(v float64) string {
	d := time.Duration(v * 1e9)
	switch {
	case d == 0:
		return "0"
	case d < time.Millisecond:
		return digits(v*1e6) + " µs"
	case d < time.Second:
		return digits(v*1e3) + " ms"
	}
	return digits(v) + " s"
}

// Bytes writes a size for people, in powers of 1000.
func Bytes(v float64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	i := 0
	for v >= 1000 && i < len(units)-1 {
		v /= 1000
		i++
	}
	return digits(v) + " " + units[i]
}

// digits writes three significant digits, without zeros at the end.
func digits(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return trimmed(strconv.FormatFloat(v, 'f', 1, 64))
	}
	return trimmed(strconv.FormatFloat(v, 'f', 2, 64))
}

func trimmed(s string) string {
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
