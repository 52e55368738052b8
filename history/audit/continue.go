package audit

import (
	"encoding/base64"
	"encoding/json"
	"path"
	"strings"
)

// start is where a page begins: at a key, in the state at a revision. A revision below 0 is a
// page of the newest state, behind a token that had expired.
type start struct {
	key      string
	revision int64
}

// startOf is the start of a page with a continue token. What an earlier page in the log has
// shown counts more than what the token says: a token that leads past objects is wrong. It
// reports false for a token that Kubernetes would refuse.
func (l *log) startOf(token, prefix string) (start, bool) {
	if s, issued := l.issued[prefix+token]; issued {
		return s, true
	}
	// The form is that of storage.EncodeContinue of k8s.io/apiserver.
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return start{}, false
	}
	var t struct {
		Version  string `json:"v"`
		Revision int64  `json:"rv"`
		Start    string `json:"start"`
	}
	if json.Unmarshal(text, &t) != nil || t.Version != "meta.k8s.io/v1" || t.Revision == 0 || t.Start == "" {
		return start{}, false
	}
	key := "/" + strings.TrimPrefix(t.Start, "/")
	if path.Clean(key) != key {
		return start{}, false
	}
	return start{prefix + key[1:], t.Revision}, true
}

// issue keeps where the page behind a token begins: behind the last object that was shown.
// Lists of several resources may have the same token.
func (l *log) issue(token, prefix, last string, revision int64) {
	l.issued[prefix+token] = start{last + "\x00", revision}
}
