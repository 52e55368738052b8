package clusterbed

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The durations of a configuration as JSON: numbers of nanoseconds, and what a person writes, such as "20ms".
var (
	field   = `"(` + strings.Join(durations(reflect.TypeFor[Config]()), "|") + `)"\s*:\s*`
	numbers = regexp.MustCompile(field + `(\d+)`)
	words   = regexp.MustCompile(field + `("[^"]*"|[-+.\d][^\s,}]*)`)
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

// withNumbers has numbers in the place of words. A number alone has no unit: it is refused, but for 0.
func withNumbers(text []byte) (replaced []byte, err error) {
	replaced = words.ReplaceAllFunc(text, func(at []byte) []byte {
		of := words.FindSubmatch(at)
		value := string(of[2])
		word, _ := strconv.Unquote(value)
		d, wrong := time.ParseDuration(word)
		if wrong != nil && value != "0" && err == nil {
			err = fmt.Errorf(`%s: %s: want a duration such as "3s"`, of[1], value)
		}
		return fmt.Appendf(nil, "%q:%d", of[1], d)
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
		return fmt.Appendf(nil, "%q: %q", of[1], time.Duration(n).String())
	})
}
