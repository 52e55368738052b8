package command

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// TestCompareTakesCompiledCode: a program that serves etcd's watches is a side by its own name, and may have patches.
func TestCompareTakesCompiledCode(t *testing.T) {
	testbed.RegisterPrograms(func(name string) *testbed.Program {
		if !strings.HasPrefix(name, "etcd@mine") {
			return nil
		}
		return &testbed.Program{Name: name, Version: "3.5.7"}
	})
	of, err := sideOf("simrun", "etcd@mine+my.patch+notify=1s")
	require.NoError(t, err)
	require.Equal(t, "etcd@mine+my.patch+notify=1s", of.Name)
	require.Equal(t, []option.Setting{{Name: "etcd", Value: "etcd@mine+my.patch"}, {Name: "notify", Value: "1s"}}, of.set)
}
