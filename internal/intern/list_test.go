package intern_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/intern"
)

func TestListStaysWhereItIs(t *testing.T) {
	var l intern.List[int]
	var first *int
	for i := range 10_000 {
		require.Equal(t, uint32(i), l.Add(i))
		if i == 0 {
			first = l.At(0)
		}
	}
	require.Same(t, first, l.At(0))
	for i := range 10_000 {
		require.Equal(t, i, *l.At(uint32(i)))
	}
	l.Reach(20_000)
	require.Equal(t, 20_001, l.Len())
	require.Zero(t, *l.At(20_000))
	require.Equal(t, 20_001, int(l.Add(7)))
}

// Readers that find the number of a pair find what is listed under it, while another goroutine adds.
func TestReadersFindWhatIsAdded(t *testing.T) {
	const pairs = 20_000
	var p intern.Table[uint32]
	var wait sync.WaitGroup
	for range 3 {
		wait.Go(func() {
			for found := 0; found < pairs; {
				found = 0
				for i := range uint32(pairs) {
					if n := p.Find(1+i, i*i); n != 0 {
						found++
						if *p.At(n) != i {
							t.Errorf("number %d stands for %d and not for %d", n, *p.At(n), i)
							return
						}
					}
				}
			}
		})
	}
	for i := range uint32(pairs) {
		p.Add(1+i, i*i, i)
	}
	wait.Wait()
}
