package main

import (
	"context"
	"fmt"

	"github.com/watchbed/watchbed/conformance/fixtures"
	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/conformance/watchbugs"
)

const (
	progressRuns   = 100
	overtakingRuns = 100
	lostCancelRuns = 10
	createdRuns    = 100
)

func recordProgress(ctx context.Context) error {
	var results []watchbugs.ProgressResult
	for _, version := range realetcd.Versions() {
		err := withServer(ctx, version, func(server *realetcd.Server) error {
			for _, delay := range watchbugs.Delays() {
				res, err := watchbugs.Progress(ctx, server, delay, progressRuns)
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
	}
	return fixtures.WriteJSON(fixtures.Progress(), results)
}

func recordBugs(ctx context.Context) error {
	var results []watchbugs.Result
	for _, version := range realetcd.Versions() {
		err := withServer(ctx, version, func(server *realetcd.Server) error {
			overtaking, err := watchbugs.Overtaking(ctx, server, overtakingRuns)
			if err != nil {
				return err
			}
			lost, err := watchbugs.LostCancel(ctx, server, lostCancelRuns)
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
	}
	return fixtures.WriteJSON(fixtures.WatchBugs(), results)
}

func recordOvertaken(ctx context.Context) error {
	var results []watchbugs.CreatedOvertakesResult
	for _, version := range realetcd.Versions() {
		for _, requests := range []int{1, 3, 10} {
			err := withServer(ctx, version, func(server *realetcd.Server) error {
				res, err := watchbugs.CreatedOvertakes(ctx, server, requests, createdRuns)
				if err != nil {
					return err
				}
				fmt.Printf("%+v\n", res)
				results = append(results, res)
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return fixtures.WriteJSON(fixtures.CreatedOvertakes(), results)
}

func withServer(ctx context.Context, version string, f func(*realetcd.Server) error) error {
	server, err := realetcd.Start(ctx, version)
	if err != nil {
		return err
	}
	defer server.Stop()
	return f(server)
}
