package cache

import (
	"strconv"
	"strings"
)

// encodeContinue makes the token of the page after lastKey. Upstream's is
// base64 of JSON with the same two fields; clients must not look inside.
func encodeContinue(resourceVersion int64, lastKey string) string {
	return strconv.FormatInt(resourceVersion, 10) + ":" + lastKey + "\x00"
}

// decodeContinue returns where the next page starts. A negative
// resourceVersion stands for the newest state.
func decodeContinue(token, prefix string) (resourceVersion int64, key string, ok bool) {
	rv, key, ok := strings.Cut(token, ":")
	if !ok || !strings.HasPrefix(key, prefix) {
		return 0, "", false
	}
	resourceVersion, err := strconv.ParseInt(rv, 10, 64)
	if err != nil || resourceVersion == 0 {
		return 0, "", false
	}
	return resourceVersion, key, true
}
