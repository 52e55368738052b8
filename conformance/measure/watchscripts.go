package main

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/conformance/recorded"
)

// scriptTimes is how often each version plays each script: enough to see both
// orders of what etcd leaves to the order of a map.
const scriptTimes = 10

func recordScripts(ctx context.Context) error {
	scripts := recorded.Scripts()
	played := make(map[string][]recorded.Recording)
	errs := make(map[string]error)
	var (
		wg sync.WaitGroup
		mu sync.Mutex
	)
	// Servers are idle nearly all of a script's time, so all can have a turn.
	for _, version := range realetcd.Versions() {
		wg.Go(func() {
			recordings, err := playAll(ctx, version, scripts)
			mu.Lock()
			defer mu.Unlock()
			played[version], errs[version] = recordings, err
		})
	}
	wg.Wait()
	for i, script := range scripts {
		all := recorded.Recording{Script: script}
		for _, version := range realetcd.Versions() {
			if err := errs[version]; err != nil {
				return errors.Join(errors.New(version), err)
			}
			all.Merge(&played[version][i])
		}
		if err := realetcd.WriteJSON(filepath.Join(realetcd.WatchScripts(), script.Name+".json"), all); err != nil {
			return err
		}
	}
	return nil
}

func playAll(ctx context.Context, version string, scripts []recorded.Script) ([]recorded.Recording, error) {
	recordings := make([]recorded.Recording, len(scripts))
	err := withServer(ctx, version, func(server *realetcd.Server) error {
		for i, script := range scripts {
			recordings[i].Script = script
			if err := recordings[i].Record(ctx, server, scriptTimes); err != nil {
				return err
			}
		}
		return nil
	})
	return recordings, err
}
