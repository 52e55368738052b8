package testbed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/internal/spelling"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
)

// Bug is a defect that something had: one value of one option.
type Bug struct {
	Name, Issue string
	// Node is "etcd", "client" or "cache".
	Node          string
	Option, Value string
	// FixedIn is the first release without a bug of a cache, "Kubernetes 1.8";
	// empty if none is to be named. Those of etcd have several: see etcd.Bugs.
	FixedIn string
	Summary string
}

// Preset is what plants the bug.
func (b *Bug) Preset() *option.Preset {
	return &option.Preset{Name: b.Name, Doc: b.Summary, Settings: []option.Setting{{Name: b.Option, Value: b.Value}}}
}

// Bugs lists all that --bug knows by name.
func Bugs() []Bug {
	var all []Bug
	for _, b := range etcd.Bugs() {
		all = append(all, Bug{b.Name, b.Issue, "etcd", b.Option, b.Value, "", b.Summary})
	}
	var caches []Bug
	for _, b := range KnownBugs() {
		name, value, ok := strings.Cut(b.Setting, "=")
		if !ok {
			continue
		}
		bug := Bug{b.Name, b.Issue, "cache", name, value, b.FixedIn, b.Summary}
		if _, err := client.Choices.Find(name); err == nil {
			bug.Node = "client"
			all = append(all, bug)
			continue
		}
		caches = append(caches, bug)
	}
	slices.SortStableFunc(caches, func(a, b Bug) int { return compareNames(a.Name, b.Name) })
	return append(all, caches...)
}

// FindBug returns a bug by its name. The error names the nearest one.
func FindBug(name string) (*Bug, error) {
	var names []string
	for _, b := range Bugs() {
		if b.Name == name {
			return &b, nil
		}
		names = append(names, b.Name)
	}
	if strings.Contains(name, "=") {
		return nil, fmt.Errorf("unknown bug %q; --set takes NAME=VALUE", name)
	}
	return nil, fmt.Errorf("unknown bug %q%s", name, spelling.Suggest(name, names))
}

func presetsOf(bugs []string) ([]*option.Preset, error) {
	var all []*option.Preset
	for _, name := range bugs {
		b, err := FindBug(name)
		if err != nil {
			return nil, err
		}
		all = append(all, b.Preset())
	}
	return all, nil
}

func checkBugs(names []string) error {
	_, err := presetsOf(names)
	return err
}
