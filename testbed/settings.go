package testbed

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/watchbed/watchbed/internal/spelling"
	"github.com/watchbed/watchbed/sim"
)

// setting gives a field its name on the command line and in recordings.
type setting struct {
	name, doc string
	get       func(*Params) string
	set       func(*Params, string) error
}

func intSetting(name, doc string, f func(*Params) *int) setting {
	return numberSetting(name, doc, maxCount, f)
}

func numberSetting(name, doc string, largest int, f func(*Params) *int) setting {
	return setting{name, doc,
		func(p *Params) string { return strconv.Itoa(*f(p)) },
		func(p *Params, v string) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < 0 || n > largest {
				return fmt.Errorf("%s=%s: want a whole number from 0 to %d", name, v, largest)
			}
			*f(p) = n
			return nil
		}}
}

// maxCount bounds every count: beyond it a run is no longer one that anybody
// explores, and a recording from a stranger must not exhaust memory.
const maxCount = 1_000_000

// maxSteps bounds a run: no recording holds as many choices, so that a stranger's
// ends long before.
const maxSteps = 100_000_000

func durationSetting(name, doc string, f func(*Params) *time.Duration) setting {
	return setting{name, doc,
		func(p *Params) string { return f(p).String() },
		func(p *Params, v string) error {
			d, err := time.ParseDuration(v)
			if err != nil || d < 0 || d > time.Hour {
				return fmt.Errorf("%s=%s: want a duration from 0s to 1h, such as 100ms", name, v)
			}
			*f(p) = d
			return nil
		}}
}

func boolSetting(name, doc string, f func(*Params) *bool) setting {
	return setting{name, doc,
		func(p *Params) string { return strconv.FormatBool(*f(p)) },
		func(p *Params, v string) error {
			b, err := strconv.ParseBool(v)
			if err != nil {
				return fmt.Errorf("%s=%s: want true or false", name, v)
			}
			*f(p) = b
			return nil
		}}
}

func textSetting(name, doc string, f func(*Params) *string, check func(string) error) setting {
	return setting{name, doc,
		func(p *Params) string { return *f(p) },
		func(p *Params, v string) error {
			if err := check(v); err != nil {
				return err
			}
			*f(p) = v
			return nil
		}}
}

func listSetting(name, doc string, f func(*Params) *[]string, check func([]string) error) setting {
	return setting{name, doc,
		func(p *Params) string { return strings.Join(*f(p), ",") },
		func(p *Params, v string) error {
			var list []string
			if v != "" {
				list = strings.Split(v, ",")
			}
			if check != nil {
				if err := check(list); err != nil {
					return err
				}
			}
			*f(p) = list
			return nil
		}}
}

var settings = append([]setting{
	textSetting("etcd", "version of the etcd server", func(p *Params) *string { return &p.Etcd }, checkEtcd),
	textSetting("client", "version of clientv3", func(p *Params) *string { return &p.Client }, checkClient),
	textSetting("cache", "design of the cache", func(p *Params) *string { return &p.Cache }, checkDesign),
	listSetting("bugs", "values of single behaviours, comma separated", func(p *Params) *[]string { return &p.Bugs }, nil),
	listSetting("settings", "values of single behaviours that the scenario sets", func(p *Params) *[]string { return &p.Settings }, nil),
	listSetting("unmask", "options of etcd whose race is not masked: created", func(p *Params) *[]string { return &p.Unmask }, checkUnmask),
	{"mode", "untimed (safety) or timed (liveness and cost)",
		func(p *Params) string { return p.Mode.String() },
		func(p *Params, v string) error {
			switch v {
			case "untimed":
				p.Mode = sim.Untimed
			case "timed":
				p.Mode = sim.Timed
			default:
				return fmt.Errorf("mode=%s: want untimed or timed", v)
			}
			return nil
		}},
	intSetting("writers", "clients that write the watched keys", func(p *Params) *int { return &p.Writers }),
	intSetting("writes", "writes of each writer", func(p *Params) *int { return &p.Writes }),
	boolSetting("txns", "transactions among the writes, that create what does not exist", func(p *Params) *bool { return &p.Txns }),
	boolSetting("deletes", "deletes among the writes", func(p *Params) *bool { return &p.Deletes }),
	boolSetting("wide", "writes that change all watched keys at one revision among the writes", func(p *Params) *bool { return &p.Wide }),
	intSetting("noise", "clients that write keys nobody watches", func(p *Params) *int { return &p.Noise }),
	intSetting("noise-writes", "writes of each of them", func(p *Params) *int { return &p.NoiseWrites }),
	intSetting("readers", "clients that list", func(p *Params) *int { return &p.Readers }),
	intSetting("reads", "lists of each reader", func(p *Params) *int { return &p.Reads }),
	intSetting("gets", "gets of each reader, between its lists", func(p *Params) *int { return &p.Gets }),
	textSetting("read", "what readers ask for: consistent, any, not-older, every, pages, past", func(p *Params) *string { return &p.Read }, checkRead),
	boolSetting("as-consistent", "hold all reads to what consistent ones promise", func(p *Params) *bool { return &p.AsConsistent }),
	boolSetting("await-ready", "clients of a cache begin when it is ready, as behind a load balancer", func(p *Params) *bool { return &p.AwaitReady }),
	boolSetting("at-rest", "an untimed run begins when the caches have listed and watch", func(p *Params) *bool { return &p.AtRest }),
	boolSetting("move", "readers go to the next cache with every read", func(p *Params) *bool { return &p.Move }),
	intSetting("own-readers", "clients that write and then list what they wrote", func(p *Params) *int { return &p.OwnReaders }),
	intSetting("rounds", "rounds of each of them", func(p *Params) *int { return &p.Rounds }),
	intSetting("watchers", "clients that watch a cache", func(p *Params) *int { return &p.Watchers }),
	intSetting("leave", "events after which a watcher leaves and watches again (0: never)", func(p *Params) *int { return &p.Leave }),
	intSetting("caches", "API servers over the one etcd, each with a cache of every resource", func(p *Params) *int { return &p.Caches }),
	intSetting("resources", "kinds of objects, each with a cache of its own (0: 1)", func(p *Params) *int { return &p.Resources }),
	boolSetting("lagging", "watches are served by a member of etcd that lags behind the one that takes reads and writes", func(p *Params) *bool { return &p.Lagging }),
	boolSetting("shared-stream", "the caches of one API server watch on one gRPC stream", func(p *Params) *bool { return &p.SharedStream }),
	intSetting("keys", "keys that writers write", func(p *Params) *int { return &p.Keys }),
	intSetting("items", "keys that exist before the run", func(p *Params) *int { return &p.Items }),
	intSetting("history", "revisions of other keys before the run", func(p *Params) *int { return &p.History }),
	intSetting("informers", "reflectors that follow a cache (client-go)", func(p *Params) *int { return &p.Informers }),
	textSetting("informer-list", "how informers list: list-watch, watch-list", func(p *Params) *string { return &p.InformerList }, checkInformerList),
	textSetting("informer-rv", "what an informer's process asks for first: 0, unset (empty: client-go's own)", func(p *Params) *string { return &p.InformerRV }, checkInformerRV),
	intSetting("informer-page", "objects in one page of an informer's list (0: 500)", func(p *Params) *int { return &p.InformerPage }),
	boolSetting("informer-check", "informers compare what they were streamed with a list", func(p *Params) *bool { return &p.InformerCheck }),
	boolSetting("informer-newest", "informers ask for RV=\"\" as soon as a watch ended with 410 (KEP-3157's appendix)", func(p *Params) *bool { return &p.InformerNewest }),
	boolSetting("informer-not-older", "informers list with resourceVersionMatch=NotOlderThan", func(p *Params) *bool { return &p.InformerNotOlder }),
	intSetting("object-bytes", "what an object weighs where memory is counted, timed (0: nothing is counted)", func(p *Params) *int { return &p.ObjectBytes }),
	intSetting("informer-breaks", "watches of informers that break", func(p *Params) *int { return &p.InformerBreaks }),
	intSetting("informer-restarts", "informers that restart", func(p *Params) *int { return &p.InformerRestarts }),
	intSetting("streams", "clients that speak etcd's watch protocol themselves", func(p *Params) *int { return &p.Streams }),
	intSetting("breaks", "watch streams that break", func(p *Params) *int { return &p.Breaks }),
	intSetting("restarts", "caches that restart", func(p *Params) *int { return &p.Restarts }),
	intSetting("recreations", "caches that are replaced by new ones in the same process", func(p *Params) *int { return &p.Recreations }),
	boolSetting("apart", "writers write the last resource only, and readers list the first", func(p *Params) *bool { return &p.Apart }),
	intSetting("namespaces", "namespaces of the watched keys, of which each list asks for one (0: none)", func(p *Params) *int { return &p.Namespaces }),
	intSetting("etcd-restarts", "restarts of etcd", func(p *Params) *int { return &p.EtcdRestarts }),
	intSetting("snapshots", "snapshots that etcd installs", func(p *Params) *int { return &p.Snapshots }),
	boolSetting("compactors", "API servers that compact etcd, and tell their caches", func(p *Params) *bool { return &p.Compactors }),
	durationSetting("compact-interval", "time between two compactions of an API server (0: 5m)", func(p *Params) *time.Duration { return &p.CompactInterval }),
	durationSetting("check-period", "least time between two consistency checks of a cache (0: 5m)", func(p *Params) *time.Duration { return &p.CheckPeriod }),
	intSetting("lost-events", "events that get lost on the way to a cache", func(p *Params) *int { return &p.LostEvents }),
	durationSetting("read-from", "when readers begin, timed", func(p *Params) *time.Duration { return &p.ReadFrom }),
	intSetting("compactions", "compactions by a client", func(p *Params) *int { return &p.Compactions }),
	intSetting("chan-buf", "responses in a watch channel (etcd chanBufLen; 0: 128)", func(p *Params) *int { return &p.ChanBuf }),
	intSetting("ctrl-buf", "responses in a control queue (etcd ctrlStreamBufLen; 0: 16)", func(p *Params) *int { return &p.CtrlBuf }),
	intSetting("send-window", "messages a watch stream takes before Send blocks (0: no bound)", func(p *Params) *int { return &p.SendWindow }),
	intSetting("watchers-per-sync", "watchers of one sync (etcd maxWatchersPerSync; 0: 512)", func(p *Params) *int { return &p.WatchersPerSync }),
	intSetting("sync-batch", "revisions in one response to an unsynced watcher (etcd watchBatchMaxRevs; 0: 1000)", func(p *Params) *int { return &p.SyncBatch }),
	intSetting("compaction-batch", "revisions that a compaction looks at before it pauses (0: 1000)", func(p *Params) *int { return &p.CompactionBatch }),
	intSetting("client-buf", "events in each buffer of the etcd3 watcher (0: 100)", func(p *Params) *int { return &p.ClientBuf }),
	intSetting("ring", "events that a cache remembers (0: its default)", func(p *Params) *int { return &p.Ring }),
	intSetting("incoming", "events between ingestion and dispatcher of a cache (0: 100)", func(p *Params) *int { return &p.Incoming }),
	intSetting("watch-buf", "events in each channel of a cache's watcher (0: 10)", func(p *Params) *int { return &p.WatchBuf }),
	intSetting("page", "objects in one page of the reflector's list (0: 10000)", func(p *Params) *int { return &p.Page }),
	durationSetting("notify", "period of etcd's progress ticker (0: 10m timed, never untimed)", func(p *Params) *time.Duration { return &p.Notify }),
	boolSetting("client-kv", "a cache's reads of etcd go through the client library, with its retries", func(p *Params) *bool { return &p.ClientKV }),
	durationSetting("network", "longest one-way delay of a message, timed", func(p *Params) *time.Duration { return &p.Network }),
	durationSetting("scheduling", "longest wait of a loop that has work, timed", func(p *Params) *time.Duration { return &p.Scheduling }),
	durationSetting("think", "longest pause of a client before an operation, timed", func(p *Params) *time.Duration { return &p.Think }),
	durationSetting("noise-for", "how long noise goes on, timed", func(p *Params) *time.Duration { return &p.NoiseFor }),
	durationSetting("faults-for", "how long faults strike, timed", func(p *Params) *time.Duration { return &p.FaultsFor }),
	durationSetting("horizon", "when a run ends at the latest, timed", func(p *Params) *time.Duration { return &p.Horizon }),
	numberSetting("steps", "maximum number of steps of a run", maxSteps, func(p *Params) *int { return &p.Steps }),
}, slices.Concat(guardSettings, watchListSettings)...)

// Set changes one setting by its name.
func (p *Params) Set(name, value string) error {
	for i := range settings {
		if settings[i].name == name {
			return settings[i].set(p, value)
		}
	}
	var names []string
	for i := range settings {
		names = append(names, settings[i].name)
	}
	return fmt.Errorf("unknown parameter %q%s", name, spelling.Suggest(name, names))
}

// Parameter is one expanded setting.
type Parameter struct {
	Name, Value string
}

// Expand lists every setting, in a fixed order.
func (p *Params) Expand() []Parameter {
	list := make([]Parameter, len(settings))
	for i := range settings {
		list[i] = Parameter{settings[i].name, settings[i].get(p)}
	}
	return list
}

// Describe lists the names of all settings with what they mean.
func Describe() []Parameter {
	list := make([]Parameter, len(settings))
	for i := range settings {
		list[i] = Parameter{settings[i].name, settings[i].doc}
	}
	return list
}
