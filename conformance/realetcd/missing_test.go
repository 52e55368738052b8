package realetcd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// told notes how a test was ended.
type told struct {
	testing.TB
	skipped, failed string
}

func (t *told) Helper()                           {}
func (t *told) Skip(args ...any)                  { t.skipped = fmt.Sprint(args...) }
func (t *told) Fatal(args ...any)                 { t.failed = fmt.Sprint(args...) }
func (t *told) Fatalf(format string, args ...any) { t.failed = fmt.Sprintf(format, args...) }

// make conformance asks for real servers: a test that cannot find one fails. go test ./... does not
// ask, and skips it.
func TestAMissingServer(t *testing.T) {
	for value, ends := range map[string]struct{ skipped, failed bool }{
		"": {skipped: true}, "required": {failed: true}, "yes": {failed: true},
	} {
		t.Setenv(asked, value)
		got := &told{TB: t}
		Need(got, "0.0.0")
		if (got.skipped != "") != ends.skipped || (got.failed != "") != ends.failed {
			t.Errorf("%s=%q: skipped %q, failed %q", asked, value, got.skipped, got.failed)
		}
	}
}

func TestWhyAServerIsMissing(t *testing.T) {
	there := filepath.Join(t.TempDir(), "etcd-3.7.3")
	if err := os.WriteFile(there, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	for binary, want := range map[string]string{
		there:       "",
		there + "0": "run make servers",
		"github.com/watchbed/watchbed/conformance/bin/etcd-3.7.3": "-trimpath",
		filepath.Dir(there): "run make servers",
	} {
		got := missing("3.7.3", binary)
		if (got == "") != (want == "") || !strings.Contains(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want %q", binary, got, want)
		}
	}
}
