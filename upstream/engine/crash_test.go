package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatIsSaidOfACrash: what happened and where, whatever the guest has logged before.
func TestWhatIsSaidOfACrash(t *testing.T) {
	c := crash(`E0101 01:52:09.228195       3 checker.go:99] not this
panic: cache begins anew

goroutine 58 [running]:
k8s.io/apiserver/pkg/storage/cacher.(*Cacher).startCaching(0x5e5f1e0, 0x5d1b4a0)
	k8s.io/apiserver@v0.37.2/pkg/storage/cacher/cacher.go:485 +0x4f
k8s.io/apiserver/pkg/storage/cacher.NewCacherFromConfig.func3.1()
	k8s.io/apiserver@v0.37.2/pkg/storage/cacher/cacher.go:480 +0x2
created by k8s.io/apiserver/pkg/storage/cacher.NewCacherFromConfig in goroutine 1

goroutine 1 [select]:
main.main()
`)
	require.EqualError(t, c, "the guest crashed: panic: cache begins anew (in cacher.(*Cacher).startCaching, called by cacher.NewCacherFromConfig.func3.1)")
	require.EqualError(t, crash("fatal error: runtime: out of memory\n"), "the guest crashed: fatal error: runtime: out of memory (it may have 256 MB)")
	require.EqualError(t, crash("exit"), "the guest crashed: exit")
	logged := crash(`panic: panic	failed to find local ID in cluster members	{"cluster-id": "cd11e86392339c47"}

goroutine 9 [running]:
go.uber.org/zap/zapcore.CheckWriteAction.OnWrite(0x1)
go.uber.org/zap.(*Logger).Panic(0x2)
go.etcd.io/etcd/server/v3/etcdserver/api/membership.(*RaftCluster).IsLocalMemberLearner(0x3)
`)
	require.Equal(t, "failed to find local ID in cluster members", logged.Message())
	require.Equal(t, []string{"membership.(*RaftCluster).IsLocalMemberLearner"}, logged.Functions)
}
