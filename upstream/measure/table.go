package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/internal/registry"
)

// key names a row: what it is about, such as a scenario or a world, and the etcd that it was measured with, empty where
// all have the same.
type key struct{ of, on string }

func (k key) String() string {
	if k.on == "" {
		return k.of
	}
	return k.of + " on " + k.on
}

// row is what was measured. String is a line about it.
type row interface {
	key() key
	String() string
}

// table is rows of one kind, in a file that is written after each row: an interrupt loses nothing that was done.
type table[R row] struct {
	name, about string
	// choice is the flag that chooses one release, if the rows have several.
	choice string
	// keys are those of all rows, in their order.
	keys    func() []key
	measure func(context.Context, key) (R, error)
	// amiss is what is wrong with rows that have keys of the table.
	amiss  func([]R) []string
	render func([]R) (string, error)
	// decode and encode are for a file that is no list of rows.
	decode func([]byte) ([]R, error)
	encode func([]R) ([]byte, error)

	only    string
	missing bool
}

func (t *table[R]) describe() (name, about string) { return t.name, t.about }

func (t *table[R]) flags(f *flag.FlagSet) {
	f.BoolVar(&t.missing, "missing", false, "measure only what has no row yet")
	if t.choice != "" {
		f.StringVar(&t.only, t.choice, "", "measure on this release alone: "+strings.Join(ons(t.keys()), ", "))
	}
}

func (t *table[R]) page() (string, error) {
	rows, err := t.read()
	if err != nil {
		return "", err
	}
	return t.render(rows)
}

func (t *table[R]) check() ([]string, error) {
	rows, err := t.read()
	return t.wrong(rows), err
}

// run measures the rows that are wanted, and says what came of each.
func (t *table[R]) run(ctx context.Context, names []string) ([]string, error) {
	keys := t.keys()
	if err := checkNames(names, keys); err != nil {
		return nil, err
	}
	if all := ons(keys); t.only != "" && !slices.Contains(all, t.only) {
		return nil, fmt.Errorf("-%s %s: the table is about %s", t.choice, t.only, strings.Join(all, ", "))
	}
	rows, err := t.read()
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		if len(names) > 0 && !slices.Contains(names, k.of) || t.only != "" && k.on != t.only || t.missing && find(rows, k) != nil {
			continue
		}
		r, err := t.measure(ctx, k)
		if ctx.Err() != nil {
			return nil, errors.New("interrupted; the rows that were done are in the table")
		}
		if err != nil {
			return nil, fmt.Errorf("%v: %w", k, err)
		}
		fmt.Println(r.String())
		rows = replace(rows, r, keys)
		if err := t.write(rows); err != nil {
			return nil, err
		}
	}
	return t.wrong(rows), nil
}

// checkNames refuses names that no row can have.
func checkNames(names []string, keys []key) error {
	var all []string
	for _, k := range keys {
		if !slices.Contains(all, k.of) {
			all = append(all, k.of)
		}
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return fmt.Errorf("the table is about no %q%s", name, registry.Suggest(name, all))
		}
	}
	return nil
}

// ons are the versions of etcd that there are rows of.
func ons(keys []key) []string {
	var all []string
	for _, k := range keys {
		if !slices.Contains(all, k.on) {
			all = append(all, k.on)
		}
	}
	return all
}

// replace puts a row in the place of the one of the same key, in the order of the keys. Rows of other keys go.
func replace[R row](rows []R, r R, keys []key) []R {
	rows = append(slices.DeleteFunc(slices.Clone(rows), func(old R) bool { return old.key() == r.key() }), r)
	var all []R
	for _, k := range keys {
		if of := find(rows, k); of != nil {
			all = append(all, *of)
		}
	}
	return all
}

// find is the row of a key, nil if there is none.
func find[R row](rows []R, k key) *R {
	if i := slices.IndexFunc(rows, func(r R) bool { return r.key() == k }); i >= 0 {
		return &rows[i]
	}
	return nil
}

// wrong is what is amiss with the rows, also those that are about nothing that is measured.
func (t *table[R]) wrong(rows []R) []string {
	var all []string
	keys := t.keys()
	rows = slices.DeleteFunc(slices.Clone(rows), func(r R) bool {
		gone := !slices.Contains(keys, r.key())
		if gone {
			all = append(all, fmt.Sprintf("the row of %v is about nothing that is measured", r.key()))
		}
		return gone
	})
	return append(all, t.amiss(rows)...)
}

// folder is where the tables are, as seen from the folder upstream.
var folder = "measure"

func (t *table[R]) path() string { return filepath.Join(folder, t.name+".json") }

func (t *table[R]) read() ([]R, error) {
	text, err := os.ReadFile(t.path())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if t.decode != nil {
		return t.decode(text)
	}
	var rows []R
	return rows, json.Unmarshal(text, &rows)
}

// write writes the rows so that a kill leaves the old file or the new one.
func (t *table[R]) write(rows []R) error {
	encode := t.encode
	if encode == nil {
		encode = oneALine
	}
	text, err := encode(rows)
	if err != nil {
		return err
	}
	if err := os.WriteFile(t.path()+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(t.path()+".new", t.path())
}

func oneALine[R row](rows []R) ([]byte, error) {
	lines := make([]string, len(rows))
	for i := range rows {
		line, err := json.Marshal(rows[i])
		if err != nil {
			return nil, err
		}
		lines[i] = string(line)
	}
	return []byte("[\n" + strings.Join(lines, ",\n") + "\n]\n"), nil
}
