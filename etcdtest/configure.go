package etcdtest

import (
	"fmt"
	"slices"
	"strings"

	_ "github.com/watchbed/watchbed/knownbugs" // bugs by name
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// configure is an etcd of a release with settings: options of etcd, NAME=VALUE, and names of known bugs.
func configure(release string, set []string, follower bool) (etcd.Config, error) {
	config, err := etcd.DefaultConfig(release)
	if err != nil {
		return config, err
	}
	if newest, is := etcd.Unreleased(release); is {
		return config, fmt.Errorf("etcd: unknown version %q: %s is the newest release of its branch that is known", release, newest)
	}
	for _, text := range set {
		s, err := option.ParseSetting(text)
		if !strings.Contains(text, "=") {
			s, err = planted(text, release, &config.Options, follower)
		}
		if err == nil {
			if err = etcd.Group.Set(&config.Options, s.Name, s.Value); err != nil {
				err = fmt.Errorf("%s: %w (`simrun list etcd` has all options)", text, err)
			}
		}
		if err != nil {
			return config, err
		}
	}
	return config, nil
}

// unseen are options of bugs that nothing here comes to, and why; ofFollowers those of bugs that only a follower has.
var (
	unseen = map[string]string{
		"stream-pin": "clientv3 sends no RangeStream", "stream-header": "clientv3 sends no RangeStream", "backup-restore": "no backup is restored here",
	}
	ofFollowers = []string{"needless-ranges", "read-index-ids"}
)

// planted is what plants a bug in an etcd of a release.
func planted(bug, release string, o *etcd.Options, follower bool) (s option.Setting, err error) {
	b, err := testbed.FindBug(bug)
	if err != nil {
		return s, fmt.Errorf("%w (`simrun list bugs` has all; an option is NAME=VALUE)", err)
	}
	instead := "`simrun run --bug " + bug + "` shows it"
	if b.Node() != "etcd" {
		return s, fmt.Errorf("%s is no bug of etcd: %s", bug, instead)
	}
	s = b.Planting()
	is, err := etcd.Group.Find(s.Name)
	if err != nil {
		return s, err
	}
	switch off := offIn(is, o); {
	case unseen[s.Name] != "":
		return s, fmt.Errorf("%s cannot show, since %s: %s", bug, unseen[s.Name], instead)
	case off != "" && off != s.Value:
		return s, fmt.Errorf("etcd %s cannot have %s, since %s is %s there: take %s", release, bug, s.Name, off, firstWith(is))
	case slices.Contains(ofFollowers, s.Name) && !follower:
		return s, fmt.Errorf("%s is a bug of followers: set Follower of the configuration", bug)
	}
	return s, nil
}

// mended is an etcd that has another value in place of a known bug, if it has the bug: that of the newest release.
func mended(config etcd.Config, b *testbed.KnownBug) (fixed etcd.Config, by string, has bool) {
	s := b.Planting()
	o := etcd.Group.Lookup(s.Name)
	if o == nil || o.Get(&config.Options) != s.Value || unseen[s.Name] != "" {
		return config, "", false
	}
	better, err := etcd.OptionsOf(newest)
	if err != nil {
		return config, "", false
	}
	value := o.Get(&better)
	for _, v := range o.Values() {
		if value == s.Value {
			value = v.Name
		}
	}
	return config, s.Name + "=" + value, o.Set(&config.Options, value) == nil && value != s.Value
}

// offIn is the value of an option if its code does not run with that value, as that of a request which the release does
// not know. It is empty otherwise.
func offIn(o *option.Option[etcd.Options], of *etcd.Options) string {
	for _, v := range o.Values() {
		if v.IsOff && v.Name == o.Get(of) {
			return v.Name
		}
	}
	return ""
}

// firstWith is the first release in which an option is not off.
func firstWith(o *option.Option[etcd.Options]) string {
	for _, branch := range etcd.Branches() {
		for _, v := range branch {
			if options, err := etcd.OptionsOf(v.String()); err == nil && offIn(o, &options) == "" {
				return v.String()
			}
		}
	}
	return "another bug"
}
