// Package table keeps what a command measures of the scenarios of the catalogue, a row for a scenario and a version of etcd, in a file
// that is written after each row: an interrupt loses nothing that was done.
//
// It must never import what a guest is made of, nor know what a row says.
package table

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/testbed"
)

// Row is what was measured of a scenario on a version of etcd.
type Row interface {
	Key() Key
	// String is a line about it.
	String() string
}

// Key names a row.
type Key struct{ Scenario, Etcd string }

// Read reads the rows of a file, of whatever they are.
func Read[R any](path string) ([]R, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rows []R
	return rows, json.Unmarshal(text, &rows)
}

// Write writes the rows, one a line, so that a kill leaves the old file or the new one.
func Write[R any](path string, rows []R) error {
	lines := make([]string, len(rows))
	for i := range rows {
		line, err := json.Marshal(rows[i])
		if err != nil {
			return err
		}
		lines[i] = string(line)
	}
	text := "[\n" + strings.Join(lines, ",\n") + "\n]\n"
	if err := os.WriteFile(path+".new", []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Find is the row of a scenario and a version, nil if there is none.
func Find[R Row](rows []R, k Key) *R {
	if i := slices.IndexFunc(rows, func(r R) bool { return r.Key() == k }); i >= 0 {
		return &rows[i]
	}
	return nil
}

// Update is how a table is measured anew.
type Update[R Row] struct {
	// Path is the file with the rows.
	Path string
	// Versions are those of etcd that a scenario has rows of.
	Versions func(*testbed.Scenario) []string
	// Measure makes a row.
	Measure func(ctx context.Context, sc *testbed.Scenario, etcd string) (R, error)
	// Wanted reports whether a row is measured, old is the one that there is, nil if there is none.
	Wanted func(sc *testbed.Scenario, etcd string, old *R) bool
}

// Do measures the rows that are wanted, in the order of the catalogue, says what came of each, and returns all rows. Rows of
// scenarios that are not there any more go.
func (u *Update[R]) Do(ctx context.Context) ([]R, error) {
	rows, err := Read[R](u.Path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, sc := range testbed.Scenarios() {
		for _, etcd := range u.Versions(sc) {
			if !u.Wanted(sc, etcd, Find(rows, Key{sc.Name, etcd})) {
				continue
			}
			r, err := u.Measure(ctx, sc, etcd)
			if ctx.Err() != nil {
				return nil, errors.New("interrupted; the scenarios that were done are in the table")
			}
			if err != nil {
				return nil, fmt.Errorf("%s on etcd %s: %w", sc.Name, etcd, err)
			}
			fmt.Println(r.String())
			rows = u.put(rows, r)
			if err := Write(u.Path, rows); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

// put puts a row in the place of the one of the same scenario and version, in the order of the catalogue.
func (u *Update[R]) put(rows []R, r R) []R {
	byKey := map[Key]R{}
	for _, of := range append(slices.Clone(rows), r) {
		byKey[of.Key()] = of
	}
	var all []R
	for _, sc := range testbed.Scenarios() {
		for _, etcd := range u.Versions(sc) {
			if of, there := byKey[Key{sc.Name, etcd}]; there {
				all = append(all, of)
			}
		}
	}
	return all
}

// Known refuses names that no scenario has.
func Known(names []string) error {
	for _, name := range names {
		if _, err := testbed.FindScenario(name); err != nil {
			return err
		}
	}
	return nil
}

// KnownRelease refuses a release of etcd that the table is not about. An empty one stands for all.
func KnownRelease(release string, all []string) error {
	if release != "" && !slices.Contains(all, release) {
		return fmt.Errorf("-etcd %s: the table is about %s", release, strings.Join(all, ", "))
	}
	return nil
}

// Page prints the rows of a file as a page, and ends the command if that fails.
func Page[R any](command, path string, render func([]R) (string, error)) {
	rows, err := Read[R](path)
	text := ""
	if err == nil {
		text, err = render(rows)
	}
	End(command, nil, err)
	fmt.Print(text)
}

// End ends a command by what is amiss with its table: 1 if there is any, 2 if it could not be measured.
func End(command string, amiss []string, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, command+": "+err.Error())
		os.Exit(2)
	}
	for _, line := range amiss {
		fmt.Fprintln(os.Stderr, command+": "+line)
	}
	if len(amiss) > 0 {
		os.Exit(1)
	}
}
