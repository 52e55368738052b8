package history

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeysThatStandTwice(t *testing.T) {
	var keys twice
	for line, want := range map[string]string{
		`{"a":1,"a":2}`:                  "a",
		`{"return":1,"Return":2}`:        "Return",
		"{\"a\" \t:1,\"b\":1,\"a\"  :2}": "a",
		`{"key":1,"k\u0065y":2}`:         `k\u0065y`,
		`{"server":1,"ſerver":2}`:        "ſerver",
		`{"key":1,"\u212aey":2}`:         `\u212aey`,
		`{"":1,"":2}`:                    "",
		`{"x":[{"b":1},{"b":1,"b":2}]}`:  "b",
		`{"a":{"a":{}},"b":1,"a":2}`:     "a",
		`{"a":"\\\"","a":2}`:             "a",
	} {
		found := keys.find([]byte(line))
		require.NotNil(t, found, line)
		require.Equal(t, want, string(found), line)
	}
	for _, line := range []string{
		`{}`, `[]`, `"a"`, `{"a":{"a":{"a":1}}}`, `{"x":[{"a":1},{"a":1}],"a":["a","a"]}`, `{"a":"a","b":"a"}`,
		`{"a":"\",\"a\":","b":"{"}`, `{"a":"\\","b":"\\\\"}`, `{"a":"}","b":{"a":"\\\""},"c":1}`, `{"a":1,"ä":1}`,
	} {
		require.Nil(t, keys.find([]byte(line)), line)
	}
}

// TestTwiceAgreesWithEncodingJSON: package encoding/json takes the same keys and objects from a
// line.
func TestTwiceAgreesWithEncodingJSON(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var keys twice
	with, without := 0, 0
	for range 20_000 {
		line := randomJSON(rng, 3)
		d := json.NewDecoder(strings.NewReader(line))
		want := repeats(t, d)
		require.Equal(t, want, keys.find([]byte(line)) != nil, line)
		if want {
			with++
		} else {
			without++
		}
	}
	require.Greater(t, with, 2_000)
	require.Greater(t, without, 2_000)
}

var texts = []string{`"a"`, `"b"`, `"\\"`, `"\""`, `"{"`, `"\":"`, `"}"`, `""`, `"\\\":"`}

func randomJSON(rng *rand.Rand, depth int) string {
	var parts []string
	switch n := rng.IntN(4); {
	case depth > 0 && n == 0:
		for range rng.IntN(4) {
			parts = append(parts, randomJSON(rng, depth-1))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case depth > 0 && n < 3:
		for range rng.IntN(4) {
			parts = append(parts, texts[rng.IntN(len(texts))]+" : "+randomJSON(rng, depth-1))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case n == 3:
		return texts[rng.IntN(len(texts))]
	}
	return fmt.Sprint(rng.IntN(100))
}

// repeats reports whether a value has an object with a key twice.
func repeats(t *testing.T, d *json.Decoder) (found bool) {
	token, err := d.Token()
	require.NoError(t, err)
	open, nested := token.(json.Delim)
	if !nested {
		return false
	}
	seen := map[json.Token]bool{}
	for d.More() {
		if open == '{' {
			key, err := d.Token()
			require.NoError(t, err)
			found = found || seen[key]
			seen[key] = true
		}
		found = repeats(t, d) || found
	}
	_, err = d.Token()
	require.NoError(t, err)
	return found
}
