package properties_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/testbed"
)

// tooMany are the messages with which a cache answers 429, each with a scenario and what is set there so that the
// coverage point comes about. No other client than those of the history may be there, of which the judge knows all
// requests.
var tooMany = map[string]struct{ scenario, set, coveragePoint string }{
	"storage is (re)initializing: retry after ":              {"consistent-list", "", "cache: list refused while not ready"},
	"Too large resource version: retry after 1 s":            {"consistent-list", "on-timeout=throttle", "cache: consistent list throttled after the timeout"},
	"too many lists are with etcd: retry after 1 s":          {"every-read", "delegated-limit=2 freshness=direct", "cache: list refused, too many are with etcd"},
	"too much memory is in use for answers: retry after 1 s": {"consistent-list", "answers-limit=1", "cache: list refused because the memory of answers is above its limit"},
	"too many requests, please try again later":              {"consistent-list", "seats=1 queues=1 hand-size=1 queue-length=1 readers=4", "flow control: request refused, its queue is full"},
}

// TestEachReasonForTooManyRequestsIsKnown: the judge of refusals takes none of them for a violation where it has its
// reason. A cache with another message answers 429 for a reason that the judge does not know of.
func TestEachReasonForTooManyRequestsIsKnown(t *testing.T) {
	found := map[string]bool{}
	require.NoError(t, filepath.WalkDir("../sim/cache", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if message, refuses := tooManyRequests(n); refuses {
				found[message] = true
				assert.Contains(t, tooMany, message, path)
			}
			return true
		})
		return nil
	}))
	for message, c := range tooMany {
		assert.True(t, found[message], "no cache answers %q", message)
		sc, err := testbed.FindScenario(c.scenario)
		require.NoError(t, err)
		of := campaigns.Explored(t, sc, campaigns.With(t, sc, strings.Fields("watchers=0 "+c.set)...), 0, 300)
		assert.NotZero(t, campaigns.Times(t, of, c.coveragePoint), message)
		assert.NotContains(t, campaigns.Violated(of), caches.JustifiedRefusals.Name, message)
	}
}

// tooManyRequests reports whether a node is a 429, with the text that its message begins with.
func tooManyRequests(n ast.Node) (message string, is bool) {
	lit, ok := n.(*ast.CompositeLit)
	if !ok {
		return "", false
	}
	for _, e := range lit.Elts {
		field, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if code, ok := field.Value.(*ast.SelectorExpr); ok && code.Sel.Name == "TooManyRequests" {
			is = true
		}
		value := field.Value
		for sum, ok := value.(*ast.BinaryExpr); ok; sum, ok = value.(*ast.BinaryExpr) {
			value = sum.X
		}
		if text, ok := value.(*ast.BasicLit); ok && text.Kind == token.STRING {
			message, _ = strconv.Unquote(text.Value)
		}
	}
	return message, is
}
