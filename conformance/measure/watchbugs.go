package main

import (
	"context"
	"fmt"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/conformance/recorded"
)

const (
	progressRuns   = 400
	overtakingRuns = 100
	lostCancelRuns = 10
	createdRuns    = 500
	behindRuns     = 1000
	members        = 3
)

func recordProgress(ctx context.Context) error {
	var results []recorded.ProgressResult
	err := onEachVersion(ctx, func(server *realetcd.Server) error {
		for _, delay := range recorded.Delays() {
			res, err := recorded.Progress(ctx, server, delay, progressRuns)
			if err != nil {
				return err
			}
			fmt.Printf("%+v\n", res)
			results = append(results, res)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return realetcd.WriteJSON(realetcd.Progress(), results)
}

func recordBugs(ctx context.Context) error {
	var results []recorded.Result
	err := onEachVersion(ctx, func(server *realetcd.Server) error {
		overtaking, err := recorded.Overtaking(ctx, server, overtakingRuns)
		if err != nil {
			return err
		}
		lost, err := recorded.LostCancel(ctx, server, lostCancelRuns)
		if err != nil {
			return err
		}
		fmt.Printf("%+v\n%+v\n", overtaking, lost)
		results = append(results, overtaking, lost)
		return nil
	})
	if err != nil {
		return err
	}
	return realetcd.WriteJSON(realetcd.WatchBugs(), results)
}

func recordOvertaken(ctx context.Context) error {
	var results []recorded.CreatedOvertakesResult
	err := onEachVersion(ctx, func(server *realetcd.Server) error {
		for _, requests := range []int{1, 3, 10} {
			res, err := recorded.CreatedOvertakes(ctx, server, requests, createdRuns)
			if err != nil {
				return err
			}
			fmt.Printf("%+v\n", res)
			results = append(results, res)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return realetcd.WriteJSON(realetcd.CreatedOvertakes(), results)
}

func recordBehindStart(ctx context.Context) error {
	var results []recorded.BehindStartResult
	for _, version := range realetcd.Versions() {
		res, err := behindStart(ctx, version)
		if err != nil {
			return err
		}
		fmt.Printf("%+v\n", res)
		results = append(results, res)
	}
	return realetcd.WriteJSON(realetcd.ProgressBehindStart(), results)
}

func behindStart(ctx context.Context, version string) (recorded.BehindStartResult, error) {
	cluster, err := realetcd.StartCluster(ctx, version, members)
	if err != nil {
		return recorded.BehindStartResult{}, err
	}
	defer func() {
		for _, s := range cluster {
			s.Stop()
		}
	}()
	return recorded.ProgressBehindStart(ctx, cluster, behindRuns)
}

// onEachVersion starts a server of each version in turn.
func onEachVersion(ctx context.Context, f func(*realetcd.Server) error) error {
	for _, version := range realetcd.Versions() {
		if err := withServer(ctx, version, f); err != nil {
			return err
		}
	}
	return nil
}

func withServer(ctx context.Context, version string, f func(*realetcd.Server) error) error {
	server, err := realetcd.Start(ctx, version)
	if err != nil {
		return err
	}
	defer server.Stop()
	return f(server)
}
