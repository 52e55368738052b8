package testbed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/internal/spelling"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/etcd"
)

// Behaviours is everything in which versions and designs differ: one value for
// each dimension of the server, of the client library and of the cache.
type Behaviours struct {
	Etcd   etcd.Behaviour
	Client client.Options
	Cache  cache.Options
}

// Dimension is one way in which versions or designs differ.
type Dimension struct {
	// Of is "etcd", "client" or "cache".
	Of, Name, Value string
	Values          []string
}

// Bug is a defect that something had: one value of one dimension.
type Bug struct {
	Name, Issue      string
	Of               string
	Dimension, Value string
	// FixedIn is the first release without a bug of a cache, "Kubernetes 1.8";
	// empty if none is to be named. Those of etcd have several: see etcd.Bugs.
	FixedIn string
	Summary string
}

// Bugs lists all that --bug knows by name.
func Bugs() []Bug {
	var all []Bug
	for _, b := range etcd.Bugs() {
		all = append(all, Bug{b.Name, b.Issue, "etcd", b.Dimension, b.Value, "", b.Summary})
	}
	var caches []Bug
	for _, b := range KnownBugs() {
		if name, value, ok := strings.Cut(b.Setting, "="); ok {
			bug := Bug{b.Name, b.Issue, "cache", name, value, b.FixedIn, b.Summary}
			if _, err := client.Choices.Find(name); err == nil {
				bug.Of = "client"
				all = append(all, bug)
				continue
			}
			caches = append(caches, bug)
		}
	}
	slices.SortStableFunc(caches, func(a, b Bug) int { return compareNames(a.Name, b.Name) })
	return append(all, caches...)
}

// Behaviours is what the versions, the design, the masks, the settings of the
// scenario and the bugs come to, each on top of those before. It returns an error if there is none of such a name, or if two bugs want different
// things of one dimension.
func (p *Params) Behaviours() (Behaviours, error) {
	var b Behaviours
	var err error
	if b.Etcd, err = etcd.ForVersion(p.Etcd); err != nil {
		return b, err
	}
	if b.Client, err = client.OptionsOf(p.ClientVersion()); err != nil {
		return b, err
	}
	if b.Cache, err = cache.ForDesign(p.Cache); err != nil {
		return b, checkDesign(p.Cache)
	}
	for _, r := range races {
		if slices.Contains(p.Unmask, r.Option) {
			continue
		}
		if b, err = b.With(r.Option, r.Value); err != nil {
			return b, err
		}
	}
	for _, set := range p.Settings {
		dim, value, _ := strings.Cut(set, "=")
		if b, err = b.With(dim, value); err != nil {
			return b, err
		}
	}
	set := map[string]string{}
	for _, bug := range p.Bugs {
		dim, value, err := ResolveBug(bug)
		if err != nil {
			return b, err
		}
		if other, taken := set[dim]; taken {
			return b, fmt.Errorf("bugs %q and %q both set %s; give one of them", other, bug, dim)
		}
		set[dim] = bug
		if b, err = b.With(dim, value); err != nil {
			return b, err
		}
	}
	if _, taken := set["progress-echo"]; !taken && b.Cache.ProgressRequests == progress.Echo {
		// The design is one of the server as well.
		b.Etcd.ProgressEcho = etcd.Echoed
	}
	return b, nil
}

// ClientVersion is that of the client library: that of the server's own release,
// unless the parameters ask for another one.
func (p *Params) ClientVersion() string {
	if p.Client == "" {
		return p.Etcd
	}
	return p.Client
}

// ResolveBug says which dimension a bug sets to which value; the bug is given by
// name or as dimension=value. The error names the nearest bug.
func ResolveBug(bug string) (dim, value string, err error) {
	if dim, value, ok := strings.Cut(bug, "="); ok {
		return dim, value, nil
	}
	var names []string
	for _, b := range Bugs() {
		if b.Name == bug {
			return b.Dimension, b.Value, nil
		}
		names = append(names, b.Name)
	}
	return "", "", fmt.Errorf("unknown bug %q%s", bug, spelling.Suggest(bug, names))
}

// Dimensions lists all of them with their present values, in a fixed order.
func (b Behaviours) Dimensions() []Dimension {
	var all []Dimension
	for _, d := range b.Etcd.Dimensions() {
		all = append(all, Dimension{"etcd", d.Name, d.Value, d.Values})
	}
	for i := range client.Choices {
		o := &client.Choices[i]
		d := Dimension{Of: "client", Name: o.Name, Value: o.Get(&b.Client)}
		for _, v := range o.Values() {
			d.Values = append(d.Values, v.Name)
		}
		all = append(all, d)
	}
	for _, d := range b.Cache.Dimensions() {
		all = append(all, Dimension{"cache", d.Name, d.Value, d.Values})
	}
	return all
}

// With returns the behaviours with one dimension set to one of its values.
func (b Behaviours) With(dim, value string) (Behaviours, error) {
	var names []string
	for _, d := range b.Dimensions() {
		if d.Name != dim {
			names = append(names, d.Name)
			continue
		}
		var err error
		switch d.Of {
		case "etcd":
			b.Etcd, err = b.Etcd.With(dim, value)
		case "client":
			err = client.Choices.Set(&b.Client, dim, value)
		default:
			b.Cache, err = b.Cache.With(dim, value)
		}
		return b, err
	}
	return b, fmt.Errorf("unknown behaviour %q%s", dim, spelling.Suggest(dim, names))
}

func checkEtcd(v string) error {
	_, err := etcd.ForVersion(v)
	return err
}

func checkClient(v string) error {
	if v == "" {
		return nil
	}
	_, err := client.OptionsOf(v)
	return err
}

func checkDesign(v string) error {
	var names []string
	for _, d := range cache.Designs() {
		if d.Name == v {
			return nil
		}
		names = append(names, d.Name)
	}
	return fmt.Errorf("unknown cache design %q%s", v, spelling.Suggest(v, names))
}
