package clientbed

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/node"
	"github.com/watchbed/watchbed/upstream/protocol"
	"github.com/watchbed/watchbed/upstream/stories"
)

// Config is what is judged, and in which world.
type Config struct {
	// Guest is the name of a compiled guest: client@leasing. With :locks behind it its goroutines give way where they
	// take a lock, too.
	Guest string
	// Etcd is the release that the simulated etcd is like.
	Etcd string
	// Processes is how many there are, Clients how many each of them has, Operations how many each of those asks for,
	// on so many Keys.
	Processes, Clients, Operations, Keys int
	// Think is how long a client waits at most before each operation.
	Think time.Duration
	// Partitions is how many times each process may be cut off from etcd, for how long is drawn, Breaks how many times
	// a stream of its watches may break. All of that is over after For.
	Partitions, Breaks int
	For                time.Duration
	// Network is how long a message takes at most as long as things break. Then a tenth of that.
	Network time.Duration
	// Horizon ends a run.
	Horizon time.Duration
}

// Default is a small world for a guest: two processes of two clients each, one of which may lose etcd for some seconds.
func Default(guest string) Config {
	return Config{
		Guest: guest, Etcd: "3.6.16", Processes: 2, Clients: 2, Operations: 6, Keys: 1, Think: 4 * time.Second,
		Partitions: 1, For: 20 * time.Second, Network: 400 * time.Millisecond, Horizon: 90 * time.Second,
	}
}

// Subjects is what makes subjects, as a campaign wants it.
func (c Config) Subjects() (func() explore.Subject, error) {
	name, locks := guests.AtLocks(c.Guest)
	module, err := node.Load(name, protocol.Client, Beginning)
	if err != nil {
		return nil, err
	}
	server, err := etcd.DefaultConfig(c.Etcd)
	if err != nil {
		return nil, err
	}
	if c.Processes < 1 || c.Clients < 1 || c.Keys < 1 {
		return nil, fmt.Errorf("%d processes of %d clients on %d keys: want one of each at least", c.Processes, c.Clients, c.Keys)
	}
	return func() explore.Subject { return newSubject(c, server, module, locks) }, nil
}

// Recorded is what makes subjects of the configuration in a recording.
func Recorded(rec *recording.Recording) (func() explore.Subject, error) {
	c, err := recorded(rec)
	if err != nil {
		return nil, err
	}
	return c.Subjects()
}

func recorded(rec *recording.Recording) (Config, error) {
	var c Config
	text, err := stories.Configuration(rec, "a client of etcd")
	if err != nil {
		return c, err
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return c, fmt.Errorf("its configuration cannot be read: %w", err)
	}
	c.Guest = rec.Scenario
	return c, nil
}
