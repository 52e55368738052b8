package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/progress"
)

// state is what happens in the store while readers read.
type state struct {
	name string
	// key is where writes go, none if it is nil.
	key func(s *storeSpec, n int) string
}

var states = []state{
	{name: "quiet"},
	{name: "writes to the prefix", key: func(s *storeSpec, n int) string { return s.key(n % s.objects) }},
	{name: "writes elsewhere", key: func(*storeSpec, int) string { return "/registry/elsewhere" }},
}

// pause is that of a client that does not list back to back. KEP-2340's test
// plan has one list a second.
const pause = time.Second / 4

// benchStore fills a server of its own, and measures all readers in all states.
func benchStore(ctx context.Context, s settings, spec storeSpec, out io.Writer) ([]row, error) {
	fmt.Fprintf(out, "%s: %d objects of %d bytes\n", spec.name, spec.objects, spec.bytes)
	design, err := cache.ForDesign(s.design)
	if err != nil {
		return nil, err
	}
	// Writes need not survive this machine, and the store needs room.
	flags := []string{"--unsafe-no-fsync", "--quota-backend-bytes=8589934592"}
	if design.ProgressRequests == progress.Notify {
		flags = append(flags, "--watch-progress-notify-interval=250ms")
	}
	server, err := realetcd.Start(ctx, s.version, flags...)
	if err != nil {
		return nil, err
	}
	defer server.Stop()
	client, err := connect(server)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	if err := spec.load(ctx, client); err != nil {
		return nil, err
	}
	design.ProgressRequestPeriod = s.poll
	c, last, err := caching(ctx, client, cache.Config{Options: design})
	if err != nil {
		return nil, err
	}
	defer c.Close()

	readers := []reader{spec.fromCache("cache, by index", indexedField, c, last, 0)}
	if spec.selected == 0 {
		readers = append(readers, spec.fromCache("cache, object by object", scannedField, c, last, 0))
	}
	readers = append(readers,
		spec.fromCache("cache, by index, 4 lists a second", indexedField, c, last, pause),
		revisionRead(client),
		spec.fromEtcd("etcd", client, 0),
		spec.fromEtcd("etcd, pages of 10,000", client, 10_000))

	var rows []row
	for _, st := range states {
		fmt.Fprintf(out, "%s: %s\n", spec.name, st.name)
		some, err := benchState(ctx, s, spec, st, server.Pid(), client, readers)
		if err != nil {
			return nil, err
		}
		rows = append(rows, some...)
	}
	return rows, nil
}

func benchState(ctx context.Context, s settings, spec storeSpec, st state, pid int, client *clientv3.Client, readers []reader) ([]row, error) {
	ctx, cancel := context.WithCancel(ctx)
	var writer sync.WaitGroup
	defer writer.Wait()
	defer cancel()
	if st.key != nil {
		writer.Go(func() { spec.write(ctx, client, st) })
	}
	idle := background(ctx, pid, s.budget)
	all := make([]measured, len(readers))
	// The readers take turns, so that other load on the machine affects all of them.
	for range s.runs {
		for i, r := range readers {
			want := spec.selected
			if r.name == revisionReader {
				want = 0
			}
			if err := all[i].measure(ctx, r, want, pid, s.budget, idle); err != nil {
				return nil, err
			}
		}
	}
	var rows []row
	for i, r := range readers {
		rows = append(rows, row{spec, st.name, r.name, &all[i]})
	}
	return rows, nil
}

// write writes at the store's rate until its context ends. Objects keep the value
// of their field.
func (s *storeSpec) write(ctx context.Context, client *clientv3.Client, st state) {
	tick := time.NewTicker(time.Second / time.Duration(s.writes))
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		// A write that fails, as the last one may, is of no consequence.
		_, _ = client.Put(ctx, st.key(s, n), s.value(n%s.objects, n))
	}
}
