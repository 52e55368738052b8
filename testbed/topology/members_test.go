package topology

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/option"
)

func TestAMemberSettingIsThatOfOneVersion(t *testing.T) {
	o, err := (&Options{}).WithMember("3.5.7", option.Setting{Name: "progress", Value: "dropped"})
	require.NoError(t, err)
	require.Equal(t, []string{"3.5.7:progress=dropped"}, o.MemberSettings)
	for version, want := range map[string]v3rpc.Progress{"3.5.7": v3rpc.Dropped, "3.5.8": v3rpc.ControlQueue} {
		options := etcd.Options{}
		options.Watch.Progress = v3rpc.ControlQueue
		require.NoError(t, o.SetMember(version, &options))
		require.Equal(t, want, options.Watch.Progress, version)
	}
}

func TestAMemberSettingIsChecked(t *testing.T) {
	for _, wrong := range []string{"progress=dropped", "3.5.7", "3.5.7:progress", "9.9.9:progress=dropped", "3.5.7:progress=lost", "3.5.7:ring=4"} {
		require.Error(t, checkMemberSettings([]string{wrong}), wrong)
	}
}
