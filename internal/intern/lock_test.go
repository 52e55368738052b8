package intern_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/intern"
)

// More workers than processors want the lock, and each finds what the ones before it have written.
func TestLockLetsOneWorkerInAtATime(t *testing.T) {
	const workers, times = 8, 5_000
	var lock intern.Lock
	var wait sync.WaitGroup
	count := 0
	for range workers {
		wait.Go(func() {
			for range times {
				lock.Lock()
				count++
				lock.Unlock()
			}
		})
	}
	wait.Wait()
	require.Equal(t, workers*times, count)
}
