package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/watchbed/watchbed/command"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/testbed"
)

const long = `Fleet has the campaigns of simrun run carried out by many machines. The result, with its campaign hash, its failures and their
stories, is that of one machine, whatever died on the way: workers, the server, or the command that waits. The same command,
given again, goes on where it was.

On each machine runs the same program: lots wait for workers of the build that queued them.`

const examples = `  simrun fleet serve --dir /var/lib/watchbed                          # on one machine
  simrun fleet --nats nats://HOST:4222 work --cores 8                 # on each machine
  simrun fleet --nats nats://HOST:4222 run issue-15220 --seeds 10000000
  simrun fleet --local run issue-15220 --seeds 10000000               # all of it on this machine
  simrun fleet --nats nats://HOST:4222 status`

// front is the command line of a fleet.
type front struct {
	server
	local  bool
	dir    string
	stderr io.Writer
	stop   func()
}

// Main runs simrun with the command fleet, as command.Main does: the beds are there beside the scenarios.
func Main(args []string, beds ...command.Bed) int {
	f := &front{stderr: os.Stderr, stop: func() {}}
	if rest := f.running(args); rest != nil {
		defer func() { f.stop() }()
		return command.Main(rest, append(beds, command.Bed{Kind: "fleet", Campaign: f.campaign})...)
	}
	return command.Main(args, append(beds, command.Bed{Kind: "fleet", Command: f.command})...)
}

// running are the arguments of simrun run if that is what the fleet is to do, nil otherwise: run has the flags, the output and
// the exit codes that it has on one machine.
func (f *front) running(args []string) []string {
	if len(args) == 0 || args[0] != "fleet" {
		return nil
	}
	flags := pflag.NewFlagSet("fleet", pflag.ContinueOnError)
	flags.SetInterspersed(false)
	flags.SetOutput(io.Discard)
	f.flags(flags)
	if flags.Parse(args[1:]) != nil || flags.Arg(0) != "run" {
		return nil
	}
	return flags.Args()
}

func (f *front) flags(flags *pflag.FlagSet) {
	flags.StringVar(&f.url, "nats", nats.DefaultURL, "the NATS server of the fleet")
	flags.StringVar(&f.creds, "creds", "", "file with the user's credentials, as nsc writes it")
	flags.StringVar(&f.ca, "ca", "", "file with the certificates that the server's is signed by")
	flags.StringVar(&f.cert, "cert", "", "file with this client's certificate")
	flags.StringVar(&f.key, "key", "", "file with the key of this client's certificate")
	flags.BoolVar(&f.local, "local", false, "with run: have a server and a worker for each processor on this machine, until run ends")
	flags.StringVar(&f.dir, "dir", "fleet", "folder of the server's files, of serve and of run --local")
}

func (f *front) command() *cobra.Command {
	c := &cobra.Command{Use: "fleet", Short: "have campaigns carried out by many machines", Long: long, Example: examples, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(f.serveCommand(), f.workCommand(), f.statusCommand(), f.stopCommand(),
		&cobra.Command{Use: "run SCENARIO", Short: "explore schedules of a scenario, as simrun run does and with its flags", DisableFlagParsing: true, RunE: func(*cobra.Command, []string) error {
			return errors.New("the flags of fleet stand before run, those of simrun run behind it")
		}})
	f.flags(c.PersistentFlags())
	return c
}

func (f *front) complain(format string, args ...any) {
	fmt.Fprintf(f.stderr, "simrun: "+format+"\n", args...)
}

// campaign carries out a campaign of simrun run.
func (f *front) campaign(ctx context.Context, sc *testbed.Scenario, p *testbed.Params, cfg campaign.Config) (*campaign.Result, error) {
	if cfg.Seeds == 0 || cfg.For > 0 {
		return nil, errors.New("a fleet runs a number of schedules: give --seeds, and no --for")
	}
	if f.local {
		if err := f.startLocal(ctx); err != nil {
			return nil, err
		}
	}
	c, err := connect(ctx, &f.server)
	if err != nil {
		return nil, err
	}
	defer c.conn.Close()
	return c.campaign(ctx, sc, p, cfg, os.Args[1:], f.complain)
}

// startLocal starts a server and workers, which end with this process.
func (f *front) startLocal(ctx context.Context) error {
	dir, err := filepath.Abs(f.dir)
	if err != nil {
		return err
	}
	h := &host{dir: dir, listen: "127.0.0.1:0", complain: f.complain}
	if err := h.start(); err != nil {
		return err
	}
	f.url = h.now.ClientURL()
	// An interrupt ends the workers, and leaves the server to what is read from it still.
	serving, stopServing := context.WithCancel(context.WithoutCancel(ctx))
	working, stopWorking := context.WithCancel(ctx)
	var server, work sync.WaitGroup
	server.Go(func() { h.keep(serving) })
	work.Go(func() {
		if err := workers(working, runtime.GOMAXPROCS(0), f.oneWorker(defaultHang, 0), f.complain); err != nil {
			f.complain("%v", err)
		}
	})
	f.stop = func() {
		stopWorking()
		work.Wait()
		stopServing()
		server.Wait()
	}
	return nil
}

// oneWorker are the arguments of the process of one worker.
func (f *front) oneWorker(hang, idle time.Duration) []string {
	args := []string{"fleet", "--nats", f.url}
	for _, file := range []struct{ flag, path string }{{"--creds", f.creds}, {"--ca", f.ca}, {"--cert", f.cert}, {"--key", f.key}} {
		if file.path != "" {
			args = append(args, file.flag, file.path)
		}
	}
	args = append(args, "work", "--hang", hang.String(), "--"+oneFlag)
	if idle > 0 {
		args = append(args, "--idle", idle.String())
	}
	return args
}

func (f *front) serveCommand() *cobra.Command {
	var listen, config string
	c := &cobra.Command{Use: "serve", Short: "keep the fleet's work and results, in a NATS server of its own", Args: cobra.NoArgs,
		Long: "Serve starts a NATS server with JetStream, and keeps its files under --dir. What it has taken is on the disk.\nAny other server with JetStream does as well: then none is started, and --nats names it.",
		RunE: func(c *cobra.Command, _ []string) error {
			dir, err := filepath.Abs(f.dir)
			if err != nil {
				return err
			}
			h := &host{dir: dir, listen: listen, config: config, complain: f.complain}
			if err := h.start(); err != nil {
				return err
			}
			f.complain("the fleet's server is at %s, its files are in %s", h.now.ClientURL(), dir)
			if at := h.now.Addr().(*net.TCPAddr).IP; config == "" && !at.IsLoopback() {
				f.complain("it lets everybody in: give --config with a configuration file of NATS for users and TLS")
			}
			h.keep(c.Context())
			return nil
		}}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:4222", "HOST:PORT to listen on")
	c.Flags().StringVar(&config, "config", "", "configuration file of NATS, with its users and certificates; --listen means nothing then")
	return c
}

const (
	defaultHang = 5 * time.Minute
	oneFlag     = "one"
)

func (f *front) workCommand() *cobra.Command {
	var cores int
	var hang, idle time.Duration
	var one bool
	c := &cobra.Command{Use: "work", Short: "carry out lots of this build, until it is interrupted", Args: cobra.NoArgs,
		Long: "Work keeps a process for each core, which carries out one lot after another. A process that fails is started again.",
		RunE: func(c *cobra.Command, _ []string) error {
			if cores < 1 || cores > 1024 {
				return fmt.Errorf("--cores %d: want 1 to 1024", cores)
			}
			if one {
				return f.work(c.Context(), hang, idle)
			}
			// So that a wrong address is said once.
			first, err := connect(c.Context(), &f.server)
			if err != nil {
				return err
			}
			first.conn.Close()
			f.complain("%d workers of build %s at %s", cores, first.build, f.url)
			return workers(c.Context(), cores, f.oneWorker(hang, idle), f.complain)
		}}
	c.Flags().IntVar(&cores, "cores", runtime.GOMAXPROCS(0), "how many lots run at the same time")
	c.Flags().DurationVar(&hang, "hang", defaultHang, "give a lot up that takes the processor for so long without an end of its next schedules")
	c.Flags().DurationVar(&idle, "idle", 0, "end when there was no lot for so long (default: never)")
	c.Flags().BoolVar(&one, oneFlag, false, "be one of these processes; it ends with its standard input")
	_ = c.Flags().MarkHidden(oneFlag)
	return c
}

// work is one worker. It ends with its parent.
func (f *front) work(ctx context.Context, hang, idle time.Duration) error {
	// A second thread would be woken for each history that porcupine judges: it cost two workers on two cores half of their speed.
	runtime.GOMAXPROCS(1)
	ctx, cancel := endsWithInput(ctx, os.Stdin)
	defer cancel()
	c, err := connect(ctx, &f.server)
	if err != nil {
		return err
	}
	defer c.conn.Close()
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	host = strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return '_'
	}, host)
	w := &worker{client: c, name: fmt.Sprintf("%s-%d", host, os.Getpid()), hang: hang, idle: idle, complain: f.complain, jobs: map[string]*ready{}}
	return w.work(ctx)
}

func (f *front) stopCommand() *cobra.Command {
	return &cobra.Command{Use: "stop JOB", Short: "end a job; what has a result is kept", Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
		to, err := connect(c.Context(), &f.server)
		if err != nil {
			return err
		}
		defer to.conn.Close()
		return to.stop(c.Context(), args[0])
	}}
}

// jobStatus is how far a job is.
type jobStatus struct {
	Job      string `json:"job"`
	Scenario string `json:"scenario"`
	Build    string `json:"build"`
	State    string `json:"state"`
	Lots     uint64 `json:"lots"`
	Done     uint64 `json:"done"`
	Seeds    uint64 `json:"seeds"`
	// Workers are at work on it now.
	Workers int      `json:"workers"`
	Command []string `json:"command"`
}

// status says how far each job is, and how many workers are there of each build.
func (c *client) status(ctx context.Context) (all []*jobStatus, idle map[string]int, err error) {
	present := map[string]int{}
	idle = map[string]int{}
	names, err := c.workers.Keys(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoKeysFound) {
		return nil, nil, err
	}
	for _, name := range names {
		entry, err := c.workers.Get(ctx, name)
		p := presence{}
		if err != nil || json.Unmarshal(entry.Value(), &p) != nil {
			continue // it has left
		}
		if p.Job == "" {
			idle[p.Build]++
		}
		present[p.Job]++
	}
	ids, err := c.jobIDs(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range ids {
		j, err := c.job(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		done, err := c.done(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		isQueued, err := c.isQueued(ctx, id, j)
		if err != nil {
			return nil, nil, err
		}
		s := &jobStatus{Job: id, Scenario: j.Scenario, Build: j.Build, Lots: j.lots(), Done: done, Seeds: j.Seeds, Workers: present[id], Command: j.Command}
		switch {
		case s.Done == s.Lots:
			s.State = "done"
		case j.Stopped:
			s.State = "stopped"
		case s.Workers > 0:
			s.State = "running"
		case isQueued:
			s.State = "queued"
		default:
			s.State = "not queued"
		}
		all = append(all, s)
	}
	return all, idle, nil
}

func (f *front) statusCommand() *cobra.Command {
	var asJSON bool
	var every time.Duration
	c := &cobra.Command{Use: "status", Short: "say how far each job is", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		to, err := connect(c.Context(), &f.server)
		if err != nil {
			return err
		}
		defer to.conn.Close()
		for {
			all, idle, err := to.status(c.Context())
			if err != nil {
				return err
			}
			if asJSON {
				if all == nil {
					all = []*jobStatus{}
				}
				err = json.NewEncoder(c.OutOrStdout()).Encode(all)
			} else {
				_, err = io.WriteString(c.OutOrStdout(), table(all, idle, to.build))
			}
			if err != nil || every == 0 {
				return err
			}
			select {
			case <-c.Context().Done():
				return nil
			case <-time.After(every):
			}
		}
	}}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	c.Flags().DurationVar(&every, "every", 0, "print it again and again, with so much time between")
	return c
}

// table shows where jobs stand to a person.
func table(all []*jobStatus, idle map[string]int, build string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s %-12s %-12s %15s %8s  %s\n", "job", "state", "build", "lots done", "workers", "command")
	for _, s := range all {
		fmt.Fprintf(&b, "%-14s %-12s %-12s %15s %8d  simrun %s\n", s.Job, s.State, s.Build, fmt.Sprintf("%d of %d", s.Done, s.Lots), s.Workers, strings.Join(s.Command, " "))
	}
	for _, of := range slices.Sorted(maps.Keys(idle)) {
		fmt.Fprintf(&b, "build %s: %d workers are idle\n", of, idle[of])
	}
	fmt.Fprintf(&b, "this program is build %s\n", build)
	return b.String()
}
