package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

type conformFlags struct {
	Config
	user, keep string
	json       bool
	tls        transport.TLSInfo
	// secure is made of tls, nil without https://.
	secure *tls.Config
}

func conformCommand() *cobra.Command {
	var f conformFlags
	c := &cobra.Command{
		Use:   "conform ENDPOINT",
		Short: "Ask a server that speaks etcd's API which of etcd's promises it keeps",
		Long: `Conform asks a running server, etcd or another store that speaks its API, which of etcd's promises it keeps, and says
whether a Kubernetes watch cache is safe on it. Concurrent clients and watches are recorded and judged as simrun check
judges histories; probes ask for one promise each. A promise that is violated has the messages, and a history for
simrun check.

All keys are below a new prefix, and are deleted at the end. Others may use the store meanwhile. Compactions take the
history of the whole store: they are tried with --compact only, as is a watch from revision -1, by which a server with
etcd #20693 loses events of others. What a restart, an election or a follower would show is not asked. What holds has held this time: how requests meet in a
running server is not chosen.

Exit codes: 0 nothing is violated, 1 a promise is violated, 2 bad usage or a server that does not answer, 3 no verdict.`,
		Example: `  realetcd conform 127.0.0.1:2379
  realetcd conform https://etcd:2379 --cacert ca.crt --cert client.crt --key client.key --for 5m
  realetcd conform 127.0.0.1:2379 --compact --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("which endpoint? one, such as 127.0.0.1:2379")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if f.For < 0 || f.Notified < 0 {
				return errors.New("--for and --notified: want a duration of 0 or more")
			}
			if !utf8.ValidString(f.Prefix) {
				return errors.New("--prefix: want UTF-8, as histories have it")
			}
			if !c.Flags().Changed("seed") {
				f.Seed = rand.Uint64() >> 1
			}
			return f.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), args[0])
		},
	}
	c.Flags().StringVar(&f.Prefix, "prefix", "/watchbed-conform/", "all keys are below a new prefix that begins so")
	c.Flags().DurationVar(&f.For, "for", 5*time.Second, "how long concurrent clients and watches go on")
	c.Flags().DurationVar(&f.Notified, "notified", 6*time.Second, "how long the first progress notification without a request may take: Kubernetes wants one each 5s")
	c.Flags().Uint64Var(&f.Seed, "seed", 0, "seed of what clients ask; without it a random one")
	c.Flags().BoolVar(&f.Compact, "compact", false, "try compactions, which take the history of the whole store")
	c.Flags().StringVar(&f.user, "user", "", "NAME:PASSWORD")
	c.Flags().StringVar(&f.tls.TrustedCAFile, "cacert", "", "certificates that the server's is verified by, as PEM")
	c.Flags().StringVar(&f.tls.CertFile, "cert", "", "certificate of the client, as PEM")
	c.Flags().StringVar(&f.tls.KeyFile, "key", "", "key of the client's certificate")
	c.Flags().BoolVar(&f.tls.InsecureSkipVerify, "insecure-skip-tls-verify", false, "take any certificate of the server")
	c.Flags().StringVar(&f.keep, "keep", "conform-failures", "directory for histories that violate a promise; none is ever overwritten")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON object")
	return c
}

// connectWithin is how long the server may take to answer first.
const connectWithin = 5 * time.Second

// endpointOf is HOST:PORT as a URL.
func endpointOf(endpoint string) (*url.URL, error) {
	at, err := url.Parse(endpoint)
	if err != nil || at.Host == "" {
		at = &url.URL{Scheme: "http", Host: endpoint}
	}
	if at.Scheme != "http" && at.Scheme != "https" || at.Port() == "" {
		return nil, fmt.Errorf("%s: want HOST:PORT, http://HOST:PORT or https://HOST:PORT", endpoint)
	}
	return at, nil
}

// bounded gives a request a deadline that has none.
func bounded(ctx context.Context, method string, request, reply any, c *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	if _, has := ctx.Deadline(); !has {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	return invoke(ctx, method, request, reply, c, options...)
}

func (f *conformFlags) client(endpoint string) (*clientv3.Client, error) {
	at, err := endpointOf(endpoint)
	if err != nil {
		return nil, err
	}
	cfg := clientv3.Config{
		Endpoints: []string{at.Host}, DialTimeout: connectWithin, Logger: zap.NewNop(), DialKeepAliveTime: connectWithin, DialKeepAliveTimeout: connectWithin,
		DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(bounded)},
	}
	if f.user != "" {
		var has bool
		if cfg.Username, cfg.Password, has = strings.Cut(f.user, ":"); !has {
			return nil, fmt.Errorf("--user: want NAME:PASSWORD")
		}
	}
	switch files := f.tls.TrustedCAFile + f.tls.CertFile + f.tls.KeyFile; {
	case at.Scheme == "https":
		if cfg.TLS, err = f.tls.ClientConfig(); err != nil {
			return nil, fmt.Errorf("certificates: %w", err)
		}
		f.secure = cfg.TLS.Clone()
		f.secure.ServerName = at.Hostname()
	case files != "":
		return nil, fmt.Errorf("%s: certificates are for https://", endpoint)
	}
	client, err := clientv3.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", endpoint, err)
	}
	return client, nil
}

func (f *conformFlags) run(ctx context.Context, out, complaints io.Writer, endpoint string) error {
	client, err := f.client(endpoint)
	if err != nil {
		return err
	}
	defer client.Close()
	reachable, cancel := context.WithTimeout(ctx, connectWithin)
	_, err = client.Status(reachable, client.Endpoints()[0])
	cancel()
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return fmt.Errorf("%s: no etcd answers within %v%w", endpoint, connectWithin, f.why(ctx, client.Endpoints()[0]))
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s does not answer as etcd does: %w", endpoint, err)
	}
	f.Prefix = strings.TrimSuffix(f.Prefix, "/") + fmt.Sprintf("/%08x/", rand.Uint32())
	fmt.Fprintf(complaints, "asking %s for about %v; all keys are below %s\n", endpoint, max(f.For, f.Notified)+10*time.Second, f.Prefix)
	f.Keep = f.keepHistory
	r, err := Run(ctx, client.ActiveConnection(), f.Config)
	r.Endpoint = endpoint
	if ctx.Err() != nil {
		err = errors.Join(errors.New("interrupted before all was asked"), err)
	}
	if err != nil {
		err = &exit{3, fmt.Errorf("%s: %w", endpoint, err)}
	}
	if len(r.Promises) == 0 {
		return err
	}
	printed := &lost{to: out}
	if f.json {
		encode := json.NewEncoder(printed)
		encode.SetIndent("", "  ")
		_ = encode.Encode(r)
	} else {
		f.text(printed, endpoint, r)
	}
	return errors.Join(verdictOf(r), err, printed.err)
}

// lost keeps the first error of its writes.
type lost struct {
	to  io.Writer
	err error
}

func (l *lost) Write(p []byte) (int, error) {
	n, err := l.to.Write(p)
	if err != nil && l.err == nil {
		l.err = fmt.Errorf("output is lost: %w", err)
	}
	return n, err
}

// why says what a connection comes to, where gRPC says that it has waited.
func (f *conformFlags) why(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err == nil && f.secure != nil {
		secured := tls.Client(conn, f.secure)
		err = secured.HandshakeContext(ctx)
	}
	if err != nil {
		return fmt.Errorf(": %w", err)
	}
	return errors.New(" on an open connection")
}

// verdictOf joins the promises. What the server does not offer, and what was not asked, is no violation.
func verdictOf(r *Report) error {
	var all error
	for i := range r.Promises {
		switch r.Promises[i].Verdict {
		case Violated:
			return errViolated
		case Unknown:
			all = errUnknown
		}
	}
	return all
}

// keepHistory writes a history to a file that is not there yet.
func (f *conformFlags) keepHistory(h *model.History) (string, error) {
	if err := os.MkdirAll(f.keep, 0o755); err != nil {
		return "", fmt.Errorf("--keep %s: %w", f.keep, err)
	}
	return keepAs(filepath.Join(f.keep, "conform"), h)
}

// keepAs writes a history to a file whose name begins so.
func keepAs(begins string, h *model.History) (string, error) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s-%d.jsonl", begins, n)
		file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err == nil {
			err = errors.Join(history.Write(file, h), file.Close())
		}
		if err != nil {
			// A part of a history is none.
			_ = os.Remove(name)
			return "", fmt.Errorf("cannot write %s: %w", name, err)
		}
		return name, nil
	}
}

// below leaves out the prefix of all keys.
func (f *conformFlags) below(text string) string { return strings.ReplaceAll(text, f.Prefix, "") }

// shownOfTranscript are the newest lines of one.
const shownOfTranscript = 16

func (f *conformFlags) text(out io.Writer, endpoint string, r *Report) {
	fmt.Fprintf(out, "%s says that it is etcd %s. %s below %s in %.0f s, seed %d.\n\n", endpoint, r.Version, counted(r.Requests, "request"), f.Prefix, r.Took, f.Seed)
	if r.Kubernetes {
		fmt.Fprint(out, "It refuses plain deletions: it was sent the requests of an API server, and nothing else.\n\n")
	}
	for i := range r.Promises {
		p := &r.Promises[i]
		fmt.Fprintf(out, "  %-19s %s", p.Name, fmt.Sprintf("%-11s", p.Verdict))
		if p.Verdict == Holds || p.Verdict == Violated {
			if _, judged := judgedNames[p.Name]; judged && p.Verdict == Violated {
				fmt.Fprintf(out, " in %d of %d histories", p.Violations, r.Histories)
			} else {
				fmt.Fprintf(out, " checked %s", counted(p.Checked, "time"))
			}
		} else {
			fmt.Fprintf(out, " %s", p.Sentence)
		}
		fmt.Fprintln(out)
		if p.Verdict != Violated {
			continue
		}
		fmt.Fprintf(out, "    promised: %s (%s)\n    %s\n", p.Asks, p.Source, f.below(p.Sentence))
		lines := p.Transcript
		if n := len(lines) - shownOfTranscript; n > 0 {
			fmt.Fprintf(out, "      %s before\n", counted(n, "message"))
			lines = lines[n:]
		}
		for _, line := range lines {
			fmt.Fprintf(out, "      %s\n", f.below(line))
		}
		if p.History != "" {
			fmt.Fprintf(out, "    simrun check %s\n", p.History)
		}
	}
	fmt.Fprintf(out, "\nSafe for a Kubernetes API server?\n\n")
	for _, u := range r.Caches {
		answer := "yes"
		if u.Safe != Holds {
			answer = "no, "
			if u.Safe != Violated && u.Safe != NotOffered {
				answer = "unknown, "
			}
			answer += u.Sentence
		}
		fmt.Fprintf(out, "  %s: %s\n", u.Name, answer)
	}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
