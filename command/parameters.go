package command

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/watchbed/watchbed/testbed"
)

// parameters are the flags that change what is explored.
type parameters struct {
	etcd, client, cache string
	bugs, params        []string
}

func (f *parameters) add(c *cobra.Command) {
	c.Flags().StringVar(&f.etcd, "etcd", "", "version of the etcd server, such as 3.5.7 (default: the scenario's)")
	c.Flags().StringVar(&f.client, "client", "", "version of clientv3 (default: that of the server)")
	c.Flags().StringVar(&f.cache, "cache", "", "design of the cache (default: the scenario's)")
	c.Flags().StringArrayVar(&f.bugs, "bug", nil, "put a bug in, by name or as behaviour=value; may be repeated")
	c.Flags().StringArrayVar(&f.params, "param", nil, "change a parameter, name=value; may be repeated (simrun list params)")
}

func (f *parameters) given() bool {
	return f.etcd != "" || f.client != "" || f.cache != "" || len(f.bugs)+len(f.params) > 0
}

// apply changes the parameters as the flags say, and checks that they fit
// together.
func (f *parameters) apply(p *testbed.Params) error {
	for _, set := range f.params {
		name, value, ok := strings.Cut(set, "=")
		if !ok {
			return usage("--param %s: want name=value", set)
		}
		if err := p.Set(name, value); err != nil {
			return usage("--param: %w", err)
		}
	}
	for _, set := range []struct{ flag, name, value string }{
		{"--etcd", "etcd", f.etcd}, {"--client", "client", f.client}, {"--cache", "cache", f.cache},
	} {
		if set.value == "" {
			continue
		}
		if err := p.Set(set.name, set.value); err != nil {
			return usage("%s: %w", set.flag, err)
		}
	}
	without := *p
	p.Bugs = append(p.Bugs[:len(p.Bugs):len(p.Bugs)], f.bugs...)
	if _, err := p.Behaviours(); err != nil {
		return usage("--bug: %w", err)
	}
	for _, bug := range f.bugs {
		if strings.Contains(bug, "=") || !changesNothing(&without, bug) {
			continue
		}
		// Whoever names a bug wants to see what it does.
		return usage("--bug %s changes nothing: etcd %s with the cache design %s has it already", bug, p.Etcd, p.Cache)
	}
	return nil
}

// changesNothing reports whether a bug is one of the behaviours anyway.
func changesNothing(p *testbed.Params, bug string) bool {
	with := *p
	with.Bugs = append(with.Bugs[:len(with.Bugs):len(with.Bugs)], bug)
	before, err := p.Behaviours()
	if err != nil {
		return false
	}
	after, err := with.Behaviours()
	return err == nil && after == before
}
