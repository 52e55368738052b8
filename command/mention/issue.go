package mention

import "strings"

// Issue is the number of an issue in its address, or behind a name: that of .../issues/15220, etcd#15220 or "etcd 15220". It is empty
// for anything else, and for a number alone.
func Issue(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '#' || r == ' ' })
	if len(words) < 2 || !IsNumber(words[len(words)-1]) {
		return ""
	}
	return words[len(words)-1]
}

// IsNumber reports whether a name is the number of an issue, of which more things than the one that is named after it may speak.
func IsNumber(name string) bool {
	number := strings.TrimPrefix(name, "#")
	return number != "" && strings.Trim(number, "0123456789") == ""
}
