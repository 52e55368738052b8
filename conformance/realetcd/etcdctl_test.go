package realetcd_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/etcdtest"
)

// etcdctl are the commands that are compared, in their order. One behind "&" runs until the end, is interrupted then,
// and is compared there. Of one behind "~" numbers do not count, since sizes, times and indexes differ, and of one behind
// "?" only whether it succeeds. What follows "<" is its input.
const etcdctl = `
put a 1
put a 2 --prev-kv
put b 1
put c 3
get a
get a -w json
get a -w fields
get "" --prefix
get "" --prefix --keys-only --limit 2
get "" --prefix --count-only -w fields
get "" --prefix --sort-by MODIFY --order DESCEND
get "" --prefix --sort-by VALUE --print-value-only
get b --from-key
get a c
get a --rev 2
get a --rev 99
get --consistency s a
& watch a
& watch --rev 2 --prev-kv "" --prefix
& watch -i < watch b \n progress\n
put d 1 --ignore-value
put d 1 --lease 7f
del b --prev-kv
del nothing
del c d --range
txn < mod("a") > "0"\n\nput a 3\nget a\n\ndel a\n\n
txn < ver("a") = "7"\n\nput a 4\n\nget a\nput n 1\n\n
put a --ignore-value
compaction 4
compaction 4
compaction 999
get a --rev 3
watch a --rev 2
endpoint hashkv
endpoint hashkv --rev 6 -w json
compaction 8 --physical
endpoint hashkv
~ lease grant 100
lease grant 100 -w json
lease timetolive 1
lease revoke 1
lease keep-alive --once 1
~ lease list
lock l echo held
& elect e one
& elect -l e
? member list
? member list -w table
? member list -w json
endpoint health
endpoint health --cluster
~ endpoint status
? endpoint status -w table
~ endpoint status -w json
put a x
del a
put a y
defrag
alarm list
alarm disarm
move-leader 1234
downgrade validate 3.5
downgrade validate 3.6.0
downgrade validate 3.x
downgrade cancel
snapshot save SNAPSHOT
auth status
user list
role list
version
put x 1
& make-mirror --prefix x --dest-prefix m/x ENDPOINT
get m/ --prefix
`

// TestEtcdctl: etcdctl prints of a simulated etcd what it prints of a real one.
func TestEtcdctl(t *testing.T) {
	const version = "3.6.16"
	realetcd.Need(t, "ctl")
	real := realetcd.StartForTest(t, version)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, stop, err := etcdtest.Serve(l, nil, etcdtest.Config{Etcd: version})
	require.NoError(t, err)
	defer stop()
	of := make(chan []string)
	go func() { of <- printed(t, real.Endpoint) }()
	simulated, commands := printed(t, l.Addr().String()), strings.Split(strings.TrimSpace(etcdctl), "\n")
	for i, want := range <-of {
		assert.Equal(t, want, simulated[i], commands[i])
	}
}

// printed is what etcdctl prints of each command to an endpoint.
func printed(t *testing.T, endpoint string) (all []string) {
	file := filepath.Join(t.TempDir(), "snapshot")
	var ends []func()
	for i, line := range strings.Split(strings.TrimSpace(etcdctl), "\n") {
		line, input, _ := strings.Cut(line, " < ")
		args := strings.Fields(line)
		how := args[0]
		if strings.Contains("&~?", how) {
			args = args[1:]
		}
		for i, arg := range args {
			args[i] = strings.NewReplacer("SNAPSHOT", file, "ENDPOINT", endpoint, `""`, "").Replace(arg)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		c := exec.CommandContext(ctx, realetcd.Binary("ctl"), append([]string{"--endpoints", endpoint}, args...)...)
		var out strings.Builder
		c.Stdin, c.Stdout, c.Stderr = strings.NewReader(strings.ReplaceAll(input, `\n`, "\n")), &out, &out
		c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
		all = append(all, "")
		end := func() {
			err := c.Wait()
			said := strings.ReplaceAll(strings.ReplaceAll(out.String(), endpoint, "ENDPOINT"), file, "SNAPSHOT")
			for _, as := range same {
				said = as.of.ReplaceAllString(said, as.to)
			}
			switch how {
			case "~":
				said = numbers.ReplaceAllString(said, "N")
			case "?":
				said = ""
			}
			if err != nil && how != "&" {
				said += err.Error()
			}
			all[i] = said
		}
		if err := c.Start(); err != nil {
			t.Error(err)
			return all
		}
		if how != "&" {
			end()
			continue
		}
		time.Sleep(300 * time.Millisecond)
		ends = append(ends, func() { cancel(); end() })
	}
	time.Sleep(300 * time.Millisecond)
	for _, end := range ends {
		end()
	}
	return all
}

var (
	numbers = regexp.MustCompile(`\bID\b|[0-9a-f]*[0-9][0-9a-f.]*`)
	// same are what two servers cannot have the same, and in its place.
	same = []struct {
		of *regexp.Regexp
		to string
	}{
		{regexp.MustCompile(`("(?:\w*(?i:cluster_?id|member_?id)|ID)"\s*: ?)\d+`), "${1}ID"},
		{regexp.MustCompile(`\b[0-9a-f]{15,16}\b|\b[0-9]{17,20}\b`), "ID"},
		{regexp.MustCompile(`(?m)^([le]/)[0-9a-f]+$`), "${1}ID"},
		{regexp.MustCompile(`[0-9.]+(ms|µs|s)\b`), "TIME"},
		{regexp.MustCompile(`(?m)^\{"level":.*\n`), ""},
	}
)
