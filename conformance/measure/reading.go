package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/watchbed/watchbed/shell"
)

// measured is what one reader did in all its runs in one state of the store.
type measured struct {
	times []shell.ReadTimes
	// The sums of all runs.
	mallocs, allocated uint64
	etcd, client       time.Duration
}

// The limits of the number of reads in one run. minReads holds for slow reads too,
// maxReads for quick ones.
const (
	minReads = 3
	maxReads = 3000
)

// measure lets a reader read for as long as it has. background is the CPU that
// etcd and this process use in a second without it.
func (m *measured) measure(ctx context.Context, r reader, want, pid int, budget time.Duration, background load) error {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	cpu, began := usage(pid), time.Now()
	reads := 0
	for ; reads < minReads || reads < maxReads && time.Since(began) < budget; reads++ {
		selected, times, err := r.read(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		if selected != want {
			return fmt.Errorf("%s: %d objects were selected, want %d", r.name, selected, want)
		}
		m.times = append(m.times, times)
		time.Sleep(r.pause)
	}
	took := time.Since(began)
	used := usage(pid).since(cpu).without(background, took)
	runtime.ReadMemStats(&after)
	m.mallocs += after.Mallocs - before.Mallocs
	m.allocated += after.TotalAlloc - before.TotalAlloc
	m.etcd += used.etcd
	m.client += used.client
	return nil
}

// quantile is that of one part of the times.
func (m *measured) quantile(q float64, part func(shell.ReadTimes) time.Duration) time.Duration {
	all := make([]time.Duration, len(m.times))
	for i, t := range m.times {
		all[i] = part(t)
	}
	slices.Sort(all)
	return all[min(len(all)-1, int(q*float64(len(all))))]
}

// load is CPU time.
type load struct{ etcd, client time.Duration }

func (l load) since(m load) load { return load{l.etcd - m.etcd, l.client - m.client} }

// without takes away what a second's load comes to in a time.
func (l load) without(second load, d time.Duration) load {
	share := func(used, background time.Duration) time.Duration {
		return max(0, used-time.Duration(float64(background)*d.Seconds()))
	}
	return load{share(l.etcd, second.etcd), share(l.client, second.client)}
}

// clockTick is Linux's unit of CPU time in /proc.
const clockTick = 10 * time.Millisecond

// usage is what both processes have used so far; etcd's is 0 where there is no
// /proc.
func usage(pid int) (l load) {
	var self syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &self) == nil {
		l.client = time.Duration(self.Utime.Nano() + self.Stime.Nano())
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return l
	}
	// The name of the program is in parentheses and may hold anything.
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	const utime, stime = 11, 12
	if len(fields) <= stime {
		return l
	}
	for _, f := range fields[utime : stime+1] {
		ticks, _ := strconv.ParseInt(f, 10, 64)
		l.etcd += time.Duration(ticks) * clockTick
	}
	return l
}

// background measures the load of a second without readers.
func background(ctx context.Context, pid int, d time.Duration) load {
	before := usage(pid)
	began := time.Now()
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	used := usage(pid).since(before)
	seconds := time.Since(began).Seconds()
	return load{time.Duration(float64(used.etcd) / seconds), time.Duration(float64(used.client) / seconds)}
}
