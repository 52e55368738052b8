package clusterbed

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUsersDoWhatTheyMay: etcd lets users do what they may and nothing else, while that changes and members break, and
// the members agree about it.
func TestUsersDoWhatTheyMay(t *testing.T) {
	c := Default("cluster@v3.6.16")
	c.Auth, c.Member.TokenTTL, c.Clients, c.Watchers, c.Holders, c.Faults.AuthChanges, c.Faults.All = true, 2, 4, 4, 1, 5, true
	c.Shares.Previous, c.Shares.Nested, c.Shares.Compact = 1, 1, 1
	r := campaignOf(t, c, 12)
	holds(t, r)
	reaches(t, r, coverRenewed.String(), coverDenied.String(), coverUnwatched.String(), coverChanged.String())
}

// TestForbids: a user is forbidden what no right gives that may be there, and a change that was not answered may come
// about at any time.
func TestForbids(t *testing.T) {
	const part, stranger = 1, 3
	first, second := need{key: prefix + "1"}, need{key: prefix + "2"}
	p := &permissions{}
	p.setUpBefore()
	require.False(t, p.forbids(part, first, 10, 20))
	require.True(t, p.forbids(part, second, 10, 20), "to write is not to read")
	require.False(t, p.forbids(part, need{write: true, key: second.key}, 10, 20))
	require.True(t, p.forbids(part, need{key: first.key, end: "\x00"}, 10, 20), "all keys from one on are more than that one")
	require.True(t, p.forbids(stranger, first, 10, 20))
	require.True(t, p.forbids(0, need{root: true}, 10, 20))

	p.done = append(p.done, asked{grant(part, part, false).sets, 30, 40})
	for _, tc := range []struct {
		from, to int64
		want     bool
	}{{10, 20, false}, {35, 50, false}, {41, 50, true}} {
		require.Equal(t, tc.want, p.forbids(part, first, tc.from, tc.to), tc)
	}
	p.done = append(p.done, asked{grant(part, part, true).sets, 60, math.MaxInt64}, asked{grant(part, part, false).sets, 70, 80})
	require.True(t, p.forbids(part, first, 50, 55))
	require.False(t, p.forbids(part, first, 90, 95))

	p.done = append(p.done, asked{enable(false).sets, 100, 110})
	require.False(t, p.forbids(stranger, first, 105, 120))
	require.False(t, p.forbids(stranger, first, 111, 120))
}
