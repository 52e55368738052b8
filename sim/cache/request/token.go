package request

import (
	"encoding/base64"
	"encoding/json"
	"path"
	"strings"

	"github.com/watchbed/watchbed/sim/wire"
)

// continueToken is where a list goes on: Kubernetes' own format, base64 of
// JSON, so that tokens of other servers can be tried here.
type continueToken struct {
	APIVersion      string `json:"v"`
	ResourceVersion int64  `json:"rv"`
	StartKey        string `json:"start"`
}

const continueVersion = "meta.k8s.io/v1"

// EncodeContinue makes the token of the page after lastKey.
func EncodeContinue(resourceVersion int64, prefix, lastKey string) string {
	return encode(resourceVersion, strings.TrimPrefix(lastKey, prefix)+"\x00")
}

// EncodeRest makes the token of a page that begins at a key, in the newest state.
func EncodeRest(prefix, start string) string { return encode(-1, strings.TrimPrefix(start, prefix)) }

func encode(resourceVersion int64, start string) string {
	// A struct of strings and numbers always has a JSON form.
	text, _ := json.Marshal(&continueToken{continueVersion, resourceVersion, start})
	return base64.RawURLEncoding.EncodeToString(text)
}

// DecodeContinue returns where the next page starts. A negative
// resourceVersion stands for the newest state.
func DecodeContinue(token, prefix string) (resourceVersion int64, key string, refused *wire.Error) {
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return 0, "", badContinue("it is not base64")
	}
	var t continueToken
	if err := json.Unmarshal(text, &t); err != nil {
		return 0, "", badContinue("it is not the JSON of a token")
	}
	switch {
	case t.APIVersion != continueVersion:
		return 0, "", badContinue("it is of another version than " + continueVersion)
	case t.ResourceVersion == 0:
		return 0, "", badContinue("its resourceVersion is 0")
	case t.StartKey == "":
		return 0, "", badContinue("its start key is empty")
	}
	// A start key such as "../secrets/" would lead out of the resource.
	start := "/" + strings.TrimPrefix(t.StartKey, "/")
	if path.Clean(start) != start {
		return 0, "", badContinue("its start key is not a plain one")
	}
	return t.ResourceVersion, prefix + start[1:], nil
}

func badContinue(why string) *wire.Error {
	return &wire.Error{Code: wire.BadRequest, Message: "continue: the token is not valid: " + why}
}
