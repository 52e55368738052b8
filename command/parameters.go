package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// parameters are the flags that change what is explored.
type parameters struct {
	etcd, client, cache string
	bugs, set           []string
	// program is the name of the program in errors.
	program string
	// measures: how long events take is measured.
	measures bool
}

// add declares the flags. Without them everything is as that says, of which base is the
// name.
func (f *parameters) add(c *cobra.Command, program, base string) {
	f.program = program
	c.Flags().StringVar(&f.etcd, "etcd", "", "version of the etcd server, such as 3.5.7 (default: the "+base+"'s)")
	c.Flags().StringVar(&f.client, "client", "", "version of clientv3 (default: that of the server)")
	c.Flags().StringVar(&f.cache, "cache", "", "design of the cache (default: the "+base+"'s)")
	c.Flags().StringArrayVar(&f.bugs, "bug", nil, "plant a known bug, by name; may be repeated ("+program+" list bugs)")
	c.Flags().StringArrayVar(&f.set, "set", nil, "set an option, NAME=VALUE; may be repeated ("+program+" list options)")
}

// refuseEmptyFlags refuses flags of any command that were given an empty value, as by a
// variable of the shell that is not set: what they stand for would be left out silently. No
// time at all is as empty: it would stand for no bound.
func refuseEmptyFlags(c *cobra.Command, _ []string) (err error) {
	c.Flags().Visit(func(given *pflag.Flag) {
		switch text := given.Value.String(); {
		case err != nil:
		case text == "" || text == "[]":
			err = usage("--%s: the value is empty; leave the flag out for the default", given.Name)
		case given.Value.Type() == "duration" && (text == "0s" || strings.HasPrefix(text, "-")):
			err = usage("--%s %s: want a time to go on for, such as 60s", given.Name, text)
		}
	})
	return err
}

// refuseRepeatedFlags refuses a flag that is given twice, since the first value would be lost. Flags that take many
// values may be repeated.
func refuseRepeatedFlags(c *cobra.Command, args []string) error {
	_, args, err := c.Root().Find(args)
	if err != nil {
		return err
	}
	given := map[string]int{}
	return c.Flags().ParseAll(args, func(f *pflag.Flag, _ string) error {
		given[f.Name]++
		if _, many := f.Value.(pflag.SliceValue); !many && given[f.Name] > 1 {
			return usage("--%s is given twice; leave one out", f.Name)
		}
		return nil
	})
}

func (f *parameters) given() bool {
	return f.etcd != "" || f.client != "" || f.cache != "" || len(f.bugs)+len(f.set) > 0
}

// scenario finds a scenario, and changes its parameters as the flags say.
func (f *parameters) scenario(name string) (*testbed.Scenario, testbed.Params, error) {
	sc, err := testbed.FindScenario(name)
	if err != nil {
		return nil, testbed.Params{}, unknownScenario(f.program, name, err)
	}
	p := sc.Params
	err = f.apply(&p)
	return sc, p, err
}

// apply changes the parameters as the flags say, and checks that they fit
// together.
func (f *parameters) apply(p *testbed.Params) error {
	settings, err := parseSettings(f.set)
	if err != nil {
		return err
	}
	for _, set := range settings {
		if err := p.Set(set.Name, set.Value); err != nil {
			if strings.HasPrefix(err.Error(), set.String()) {
				return usage("--set %w", err)
			}
			return usage("--set %s: %w", set, err)
		}
	}
	for _, set := range []struct{ flag, name, value string }{
		{"--etcd", "etcd", f.etcd}, {"--client", "client", f.client}, {"--cache", "cache", f.cache},
	} {
		if set.value == "" {
			continue
		}
		for _, other := range settings {
			if other.Name == set.name {
				return usage("--set %s and %s %s both set %s; give one of them", other, set.flag, set.value, set.name)
			}
		}
		if err := p.Set(set.name, set.value); err != nil {
			return usage("%s: %w", set.flag, err)
		}
	}
	p.Clock.Latency = p.Clock.Latency || f.measures
	for i, name := range f.bugs {
		b, err := testbed.FindBug(name)
		if err != nil {
			return usage("--bug: %w (run `%s list bugs` for all of them)", err, f.program)
		}
		f.bugs[i] = b.Name
	}
	for _, set := range settings {
		if by := p.Ignores(set.Name, set.Value); by != "" {
			return usage("--set %s: %s does not read it", set, by)
		}
		if p.Clock.Unread(set.Name) {
			return usage("--set %s: an untimed run has no clock, and does not read it; give it one with --set mode=timed", set)
		}
	}
	without := *p
	p.Bugs = append(p.Bugs[:len(p.Bugs):len(p.Bugs)], f.bugs...)
	if _, err := p.Nodes(); err != nil {
		return usage("--bug: %w", err)
	}
	for i, name := range f.bugs {
		if slices.Contains(f.bugs[:i], name) {
			return usage("--bug %s is there twice", name)
		}
		bug, err := testbed.FindBug(name)
		if err != nil {
			return usage("--bug: %w", err)
		}
		for _, set := range settings {
			if planted := bug.Planting(); set.Name == planted.Name && set.Value != planted.Value {
				return usage("--bug %s and --set %s both set %s; give one of them", name, set, set.Name)
			}
		}
		if !without.Has(name) {
			continue
		}
		return usage("--bug %s changes nothing: etcd %s with the cache design %s has it already", name, p.EtcdName(), p.Cache)
	}
	return nil
}

// parseSettings reads what --set was given. An option that is set twice is an error.
func parseSettings(texts []string) ([]option.Setting, error) {
	var all []option.Setting
	for _, text := range texts {
		set, err := option.ParseSetting(text)
		if err != nil {
			return nil, usage("--set %w", err)
		}
		for _, other := range all {
			if other.Name == set.Name {
				return nil, usage("--set %s and --set %s both set %s; give one of them", other, set, set.Name)
			}
		}
		all = append(all, set)
	}
	return all, nil
}

// note prints a line on standard error for each parameter that stands for another: a release that is not known to be
// out, and a setting of 0 that the option takes for its default.
func (f *parameters) note(s process, p *testbed.Params) {
	noteUnreleased(s, p.Etcd, p.Client)
	settings, err := parseSettings(f.set)
	if err != nil {
		return
	}
	for _, set := range settings {
		if amount := testbed.StandsFor(set.Name, set.Value); amount != "" {
			s.complain("--set %s: 0 stands for the default, which is %s", set, amount)
		}
	}
}

// noteUnreleased says of a version of etcd or of its client library that is not known to
// be out how it behaves. An empty version is none.
func noteUnreleased(s process, version, client string) {
	for _, v := range []struct{ subject, version string }{{"etcd", version}, {"the client library", client}} {
		if newest, ok := etcd.Unreleased(v.version); ok {
			s.complain("%s %s is newer than %s, the newest release known of its branch, and behaves as that one", v.subject, v.version, newest)
		}
	}
}
