// Package recordings has histories for tests of what reads and judges them. It must never import a judge.
package recordings

import (
	"bytes"
	"embed"
	"strings"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// The histories were recorded from real etcd servers of the versions in their names, each with what became of its
// writes; the module conformance records them anew.
//
//go:embed testdata/etcd
var files embed.FS

// Etcd are histories of real etcd servers, by the names of their files.
func Etcd() map[string]*model.History {
	entries, err := files.ReadDir("testdata/etcd")
	must(err)
	all := map[string]*model.History{}
	for _, e := range entries {
		text, err := files.ReadFile("testdata/etcd/" + e.Name())
		must(err)
		all[e.Name()] = Parse(string(text))
	}
	return all
}

// Parse reads a history from its lines.
func Parse(lines ...string) *model.History {
	h, err := history.Read(strings.NewReader(strings.Join(lines, "\n")))
	must(err)
	return h
}

// Show writes a history as Parse reads it, or says why it cannot be read.
func Show(h *model.History) string {
	var out bytes.Buffer
	if err := history.Write(&out, h); err != nil {
		return err.Error()
	}
	return out.String()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
