package request_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/watchbed/watchbed/sim/cache/request"
	"github.com/watchbed/watchbed/sim/wire"
)

const prefix = "/registry/pods/"

func TestATokenLeadsToTheKeyAfterTheLastOne(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.StringMatching(`[a-z0-9-]{1,8}(/[a-z0-9-]{1,8})?`).Draw(rt, "name")
		rv := rapid.Int64Range(1, 1<<40).Draw(rt, "resourceVersion")
		gotRV, key, refused := request.DecodeContinue(request.EncodeContinue(rv, prefix, prefix+name), prefix)
		if refused != nil || gotRV != rv || key != prefix+name+"\x00" {
			rt.Fatal(gotRV, key, refused)
		}
	})
}

// FuzzDecodeContinue: a token is input from a stranger. It never leads out of the
// prefix.
func FuzzDecodeContinue(f *testing.F) {
	f.Add("")
	f.Add(request.EncodeContinue(5, prefix, prefix+"a"))
	f.Add(request.EncodeContinue(5, "", "/../secrets/a"))
	f.Fuzz(func(t *testing.T, token string) {
		_, key, refused := request.DecodeContinue(token, prefix)
		if refused == nil {
			require.True(t, strings.HasPrefix(key, prefix), key)
			require.NotContains(t, key, "/../")
		} else {
			require.Equal(t, wire.BadRequest, refused.Code)
			require.True(t, strings.HasPrefix(refused.Message, "continue: "))
		}
	})
}

func TestContinueBesideAVersion(t *testing.T) {
	resource := request.Resource{Prefix: prefix}
	token := request.EncodeContinue(5, prefix, prefix+"a")
	for _, req := range []wire.ListRequest{
		{Prefix: prefix, Continue: token, ResourceVersion: 7},
		{Prefix: prefix, Continue: token, ResourceVersion: 0, Match: wire.MatchNotOlderThan},
	} {
		assert.Nil(t, resource.ValidateList(&req, request.ListRules{}), "KEP-2340 ignores the version")
		refused := resource.ValidateList(&req, request.ListRules{ContinueRefusesVersion: true})
		require.NotNil(t, refused)
		assert.Contains(t, refused.Message, "forbidden when continue is provided")
	}
}
