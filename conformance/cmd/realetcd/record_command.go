package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/watchbed/watchbed/conformance/recorded"
	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

type recordFlags struct {
	listen, etcd, out, prefix string
	whole, judge              bool
	sample                    float64
	server, client            transport.TLSInfo
	kept                      int
}

func recordCommand() *cobra.Command {
	var f recordFlags
	c := &cobra.Command{
		Use:   "record",
		Short: "Pass on what clients send to a server, and record it",
		Long: `Record is a gRPC proxy before a server. Every call of every service is passed on as it is, with its metadata, deadline,
cancellation and status. Reads, writes and compactions, and what watches are sent, are written to a file as a history
for simrun check, each line as soon as it is known: a crash loses what is under way. If the file cannot be written, the
recording ends and the traffic goes on.

With --judge what goes through is held to etcd's promises in windows, while it runs and in bounded memory: a violation is
printed some seconds after the answer, with a history of its window. A window ends at a revision, when each write called
before is settled, and is judged with the writes of the one before. Reads of revisions before that, events that come
later than that, and what comes faster than it is judged, are counted and not judged. Where it is not known what made
each revision (other writers, writes without an answer) the server is asked for the store at the end of the window, which
is judged as well. A write without an answer may be carried out within a minute. --whole with --prefix is about the keys
below it, and --out "" keeps no recording.

Other clients may write past the proxy, so that the history is partial: "holds" says that their writes can explain the
answers. With --whole the user says that none does. A recording that was cut off may lack a write: it is partial.`,
		Example: `  realetcd record --listen 127.0.0.1:23790 --etcd 127.0.0.1:2379 --out history.jsonl
  simrun check history.jsonl
  realetcd record --judge --whole --prefix /registry/pods/ --out "" --sample 0.1`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr()) },
	}
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:23790", "where clients connect to")
	c.Flags().StringVar(&f.etcd, "etcd", "127.0.0.1:2379", "the server: HOST:PORT, or https://HOST:PORT")
	c.Flags().StringVar(&f.out, "out", "history.jsonl", "the history; a file that exists is not overwritten")
	c.Flags().StringVar(&f.prefix, "prefix", "", "record requests and watches of keys below it only")
	c.Flags().BoolVar(&f.whole, "whole", false, "all writers of the store go through the proxy, and all keys are recorded; with --judge, all writers below the prefix")
	c.Flags().BoolVar(&f.judge, "judge", false, "judge while recording; 1 is the exit code if a promise is violated")
	c.Flags().Float64Var(&f.sample, "sample", 1, "share of reads and watches that are recorded; writes all are")
	c.Flags().StringVar(&f.server.CertFile, "cert-file", "", "certificate that clients see, as PEM")
	c.Flags().StringVar(&f.server.KeyFile, "key-file", "", "key of that certificate")
	c.Flags().StringVar(&f.client.TrustedCAFile, "cacert", "", "certificates that the server's is verified by, as PEM")
	c.Flags().StringVar(&f.client.CertFile, "cert", "", "certificate that the server sees, as PEM")
	c.Flags().StringVar(&f.client.KeyFile, "key", "", "key of that certificate")
	return c
}

// window is that of flow control on both sides. With a fixed one gRPC sends no pings to estimate it.
const window = 1 << 20

func (f *recordFlags) run(ctx context.Context, out, complaints io.Writer) error {
	if f.whole && f.prefix != "" && !f.judge {
		return errors.New("--whole says that each write is recorded, and --prefix leaves writes out: want one of them, or --judge")
	}
	if f.sample <= 0 || f.sample > 1 {
		return fmt.Errorf("--sample %v: want more than 0, and 1 at most", f.sample)
	}
	if f.out == "" && !f.judge {
		return errors.New("--out \"\" without --judge does nothing: want one of them")
	}
	at, err := endpointOf(f.etcd)
	if err != nil {
		return err
	}
	to := insecure.NewCredentials()
	if at.Scheme == "https" {
		config, err := f.client.ClientConfig()
		if err != nil {
			return fmt.Errorf("certificates: %w", err)
		}
		to = credentials.NewTLS(config)
	} else if f.client.TrustedCAFile+f.client.CertFile+f.client.KeyFile != "" {
		return fmt.Errorf("--etcd %s: certificates are for https://", f.etcd)
	}
	var options []grpc.ServerOption
	if f.server.CertFile+f.server.KeyFile != "" {
		pair, err := tls.LoadX509KeyPair(f.server.CertFile, f.server.KeyFile)
		if err != nil {
			return fmt.Errorf("--cert-file %s, --key-file %s: %w", f.server.CertFile, f.server.KeyFile, err)
		}
		options = append(options, grpc.Creds(credentials.NewServerTLSFromCert(&pair)))
	}
	connect := func() (*grpc.ClientConn, error) {
		return grpc.NewClient("passthrough:///"+at.Host, grpc.WithTransportCredentials(to), grpc.WithNoProxy(),
			grpc.WithInitialWindowSize(window), grpc.WithInitialConnWindowSize(window))
	}
	initial, err := f.store(ctx, connect, 0)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", f.listen, err)
	}
	j := &journal{prefix: f.prefix, sample: f.sample, lost: func(err error) {
		fmt.Fprintf(complaints, "realetcd: nothing more is recorded, and the traffic goes on: %v\n", err)
	}}
	where := "not recorded"
	if f.out != "" {
		file, err := os.OpenFile(f.out, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err != nil {
			return errors.Join(fmt.Errorf("--out: %w", err), l.Close())
		}
		defer file.Close()
		where = "recorded in " + f.out
		j.to = history.NewWriter(file)
		j.write(func(to *history.Writer) error { return to.Header(*initial, !f.whole || f.prefix != "") })
	}
	var judged sync.WaitGroup
	if f.judge {
		j.judge = newJudge(&j.clock, *initial)
		j.judge.whole, j.judge.prefix, j.judge.keep = f.whole, f.prefix, f.keepWindow
		j.judge.say = func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }
		j.judge.list = func(ctx context.Context, revision int64) (*model.Initial, error) {
			return f.store(ctx, connect, revision)
		}
		judged.Go(func() { j.judge.run(ctx) })
	}
	options = append(options, grpc.InitialWindowSize(window), grpc.InitialConnWindowSize(window), grpc.NumStreamWorkers(uint32(runtime.NumCPU())))
	g := (&proxy{connect: connect, journal: j}).server(options...)
	stopped := context.AfterFunc(ctx, g.Stop)
	defer stopped()
	fmt.Fprintf(out, "%s is passed on to %s, from revision %d on; %s\n", l.Addr(), f.etcd, initial.Revision, where)
	err = g.Serve(l)
	judged.Wait()
	if f.out != "" {
		fmt.Fprintf(out, "%d lines are in %s\n", j.lines, f.out)
	}
	if f.judge {
		j.judge.sum()
		if j.judge.report.violations > 0 {
			err = errors.Join(errViolated, err)
		}
	}
	return err
}

// mostKept is how many windows are kept.
const mostKept = 20

// keepWindow writes the history of a window beside the recording.
func (f *recordFlags) keepWindow(h *model.History) (string, error) {
	if f.kept >= mostKept {
		return "", fmt.Errorf("%d files are kept already", mostKept)
	}
	f.kept++
	return keepAs(cmp.Or(strings.TrimSuffix(f.out, ".jsonl"), "history")+"-violated", h)
}

// store is all that is below the prefix at a revision, or now if that is 0.
func (f *recordFlags) store(ctx context.Context, connect func() (*grpc.ClientConn, error), revision int64) (*model.Initial, error) {
	conn, err := connect()
	if err != nil {
		return nil, fmt.Errorf("--etcd %s: %w", f.etcd, err)
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	all := &pb.RangeRequest{Key: []byte(cmp.Or(f.prefix, "\x00")), RangeEnd: end(f.prefix), Revision: revision}
	store, err := pb.NewKVClient(conn).Range(ctx, all, grpc.MaxCallRecvMsgSize(1<<31-1))
	if err != nil {
		return nil, fmt.Errorf("--etcd %s does not answer as etcd does within %v: %w", f.etcd, connectWithin, err)
	}
	return &model.Initial{Revision: store.Header.GetRevision(), Items: recorded.Items(store.Kvs...)}, nil
}
