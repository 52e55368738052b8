package clusterbed

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The durations of a configuration as JSON: numbers of nanoseconds, and words such as 20ms.
var (
	numbers = regexp.MustCompile(`("(?:` + strings.Join(durations(reflect.TypeFor[Config]()), "|") + `)"\s*:\s*)(\d+)`)
	words   = regexp.MustCompile(strings.Replace(numbers.String(), `(\d+)`, `"([^"]*)"`, 1))
)

// durations are the names of fields that are one.
func durations(of reflect.Type) (names []string) {
	for i := range of.NumField() {
		field := of.Field(i)
		switch name, _, _ := strings.Cut(field.Tag.Get("json"), ","); {
		case field.Type == reflect.TypeFor[time.Duration]():
			names = append(names, name)
		case field.Type.Kind() == reflect.Struct:
			names = append(names, durations(field.Type)...)
		}
	}
	return names
}

// withNumbers has numbers in the place of words.
func withNumbers(text []byte) (replaced []byte, err error) {
	replaced = words.ReplaceAllFunc(text, func(at []byte) []byte {
		of := words.FindSubmatch(at)
		d, wrong := time.ParseDuration(string(of[2]))
		if wrong != nil && err == nil {
			err = fmt.Errorf("%q is no duration, such as 20ms", of[2])
		}
		return strconv.AppendInt(of[1], int64(d), 10)
	})
	return replaced, err
}

// withWords has words in the place of numbers.
func withWords(text []byte) []byte {
	return numbers.ReplaceAllFunc(text, func(at []byte) []byte {
		of := numbers.FindSubmatch(at)
		n, err := strconv.ParseInt(string(of[2]), 10, 64)
		if err != nil {
			return at
		}
		return append(of[1], strconv.Quote(time.Duration(n).String())...)
	})
}
