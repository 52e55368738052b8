package registry_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/internal/registry"
)

func TestSuggest(t *testing.T) {
	names := []string{"freshness", "on-timeout", "progress"}
	assert.Equal(t, `; did you mean "freshness"?`, registry.Suggest("freshnes", names))
	assert.Equal(t, `; did you mean "progress"?`, registry.Suggest("prog", names))
	assert.Equal(t, "; there are freshness, on-timeout, progress", registry.Suggest("x", names))
	assert.Empty(t, registry.Suggest("x", strings.Split(strings.Repeat("long-name,", 30), ",")))
}

func TestAnIssueIsFoundByItsNumber(t *testing.T) {
	names := []string{"issue-20488", "issue-20418", "kubernetes-136509", "3.4.24"}
	for word, want := range map[string]string{"etcd-20418": "issue-20418", "#136509": "kubernetes-136509", "136509": "kubernetes-136509"} {
		assert.Equal(t, `; did you mean "`+want+`"?`, registry.Suggest(word, names), word)
	}
	assert.Empty(t, registry.Nearest("138494", names), "a version is no issue")
}

func TestNearest(t *testing.T) {
	names := []string{"issue-17507", "issue-15220", "progress", "issue-15271", "issue-15220", "issue-15221", ""}
	assert.Equal(t, []string{"issue-15220", "issue-15221", "issue-15271"}, registry.Nearest("issue-1522", names))
	assert.Equal(t, []string{"progress"}, registry.Nearest("progres", names))
	assert.Equal(t, []string{"issue-17507"}, registry.Nearest("issue-1750", names), "the others are farther")
	assert.Empty(t, registry.Nearest("x", names))
}
