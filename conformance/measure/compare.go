package main

import (
	"context"
	"fmt"

	"github.com/watchbed/watchbed/conformance/races"
	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/sim/etcd"
)

// comparison is what came of one version.
type comparison struct {
	version         string
	requests        races.RequestTally
	alone, follower races.Tally
}

func compare(ctx context.Context, version string, sequences, count int) (comparison, error) {
	r := comparison{version: version}
	if err := r.compareRequests(ctx, sequences); err != nil {
		return r, fmt.Errorf("etcd %s: %w", version, err)
	}
	for members, tally := range map[int]*races.Tally{1: &r.alone, races.Members: &r.follower} {
		if err := race(ctx, version, members, count, tally); err != nil {
			return r, fmt.Errorf("etcd %s: %w", version, err)
		}
	}
	for _, told := range [][]string{r.requests.Differences, r.alone.Stories, r.follower.Stories} {
		for _, story := range told {
			fmt.Println(story)
		}
	}
	fmt.Printf("etcd %s: %s\n  alone: %s\n  on a follower: %s\n", version, &r.requests, &r.alone, &r.follower)
	return r, nil
}

func (r *comparison) compareRequests(ctx context.Context, sequences int) error {
	cfg, err := etcd.DefaultConfig(r.version)
	if err != nil {
		return err
	}
	server, err := realetcd.Start(ctx, r.version)
	if err != nil {
		return err
	}
	defer server.Stop()
	c, err := races.NewComparison(server, cfg)
	if err != nil {
		return err
	}
	defer c.Close()
	for seed := range sequences {
		if err := c.Sequence(ctx, uint64(seed+1)); err != nil {
			return err
		}
	}
	r.requests = c.Tally
	return nil
}

func race(ctx context.Context, version string, members, count int, tally *races.Tally) error {
	cluster, err := realetcd.StartCluster(ctx, version, members)
	if err != nil {
		return err
	}
	for _, s := range cluster {
		defer s.Stop()
	}
	recorder, err := races.NewRecorder(cluster)
	if err != nil {
		return err
	}
	defer recorder.Close()
	for seed := range count {
		recorded, err := recorder.Record(ctx, uint64(seed+1))
		if err != nil {
			return err
		}
		if err := tally.Add(recorded, version); err != nil {
			return err
		}
	}
	return nil
}
