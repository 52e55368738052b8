// Simetcd serves a simulated etcd of any release, with its bugs, to programs such as etcdctl. "simetcd --help" says
// how. It keeps nothing: data is gone when it ends.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/watchbed/watchbed/etcdtest"
)

func main() {
	if err := command().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "simetcd:", err)
		os.Exit(2)
	}
}

// flags have etcd's names where etcd has them.
type flags struct {
	listen, release, bug, cert, key, trusted, faults string
	set                                              []string
	seed                                             uint64
	network                                          time.Duration
	clientCerts                                      bool
}

func command() *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use:   "simetcd",
		Short: "Serve a simulated etcd",
		Long: `Simetcd serves a simulated etcd of any release, with its bugs: KV, Watch and Lease, of Maintenance, Cluster and Auth what
etcdctl asks for, and on the same port /health, /livez, /readyz, /version and /metrics. It has one
member, keeps its data in memory, and nothing breaks without --faults.`,
		Example: `  simetcd --version 3.5.7
  simetcd --version 3.6.16 --bug 15220          # simrun list bugs has all
  simetcd --seed 7 --faults default --network 20ms
  simetcd --set progress-period=1s              # simrun list etcd has all
  etcdctl --endpoints 127.0.0.1:2379 put a 1`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("%q is no flag: see simetcd --help", args[0])
			}
			return nil
		},
		SilenceUsage: true, SilenceErrors: true,
		RunE: func(*cobra.Command, []string) error { return f.serve() },
	}
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return fmt.Errorf("%w: see simetcd --help", err) })
	c.Flags().StringVar(&f.listen, "listen-client-urls", "http://127.0.0.1:2379", "where to listen; https:// needs --cert-file and --key-file")
	c.Flags().StringVar(&f.release, "version", "3.6.16", "release that the etcd is like")
	c.Flags().StringVar(&f.bug, "bug", "", "known bug of etcd, by its name or the number of its issue, that the release is given")
	c.Flags().StringArrayVar(&f.set, "set", nil, "NAME=VALUE: an option of etcd")
	c.Flags().Uint64Var(&f.seed, "seed", 0, "draws the order of messages, how long they take, and when what breaks")
	c.Flags().DurationVar(&f.network, "network", 0, "how long a message to or from etcd takes at most: a tenth when nothing breaks any more")
	c.Flags().StringVar(&f.faults, "faults", "", "what breaks within a time from the start: default, or as breaks=3,within=1m some of\n"+etcdtest.FaultNames())
	c.Flags().StringVar(&f.cert, "cert-file", "", "certificate of the server, as PEM")
	c.Flags().StringVar(&f.key, "key-file", "", "key of the certificate")
	c.Flags().BoolVar(&f.clientCerts, "client-cert-auth", false, "want a certificate of each client, by an authority of --trusted-ca-file")
	c.Flags().StringVar(&f.trusted, "trusted-ca-file", "", "authorities of clients' certificates, as PEM")
	return c
}

// authorities are those of a file.
func authorities(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, errors.New("--client-cert-auth: want --trusted-ca-file with it")
	}
	text, err := os.ReadFile(file)
	pool := x509.NewCertPool()
	if err == nil && !pool.AppendCertsFromPEM(text) {
		err = errors.New("there is no certificate in it")
	}
	if err != nil {
		return nil, fmt.Errorf("--trusted-ca-file %s: %w", file, err)
	}
	return pool, nil
}

// certificates are those of the server, nil without TLS.
func (f *flags) certificates(scheme string) (certificates *tls.Config, err error) {
	switch {
	case scheme == "https" && (f.cert == "" || f.key == ""):
		return nil, fmt.Errorf("--listen-client-urls %s: want --cert-file and --key-file with it", f.listen)
	case scheme == "https":
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return nil, fmt.Errorf("--cert-file %s, --key-file %s: %w", f.cert, f.key, err)
		}
		certificates = &tls.Config{Certificates: []tls.Certificate{pair}}
		if f.clientCerts || f.trusted != "" {
			if certificates.ClientCAs, err = authorities(f.trusted); err != nil {
				return nil, err
			}
			certificates.ClientAuth = tls.RequireAndVerifyClientCert
		}
	case f.cert != "" || f.key != "" || f.trusted != "" || f.clientCerts:
		return nil, fmt.Errorf("--cert-file, --key-file, --client-cert-auth and --trusted-ca-file are for https://: --listen-client-urls is %s", f.listen)
	}
	return certificates, nil
}

func (f *flags) serve() error {
	at, err := url.Parse(f.listen)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return fmt.Errorf("--listen-client-urls %s: want one URL, such as http://127.0.0.1:2379", f.listen)
	}
	certificates, err := f.certificates(at.Scheme)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", at.Host)
	if err != nil {
		return fmt.Errorf("--listen-client-urls %s: %w", f.listen, err)
	}
	c := etcdtest.Config{Etcd: f.release, Bug: f.bug, Set: f.set, Seed: f.seed, Network: f.network}
	if f.faults != "" {
		faults, err := etcdtest.ParseFaults(f.faults)
		if err != nil {
			return fmt.Errorf("--faults %s: %w", f.faults, err)
		}
		c.Faults = &faults
	}
	faults, stop, err := etcdtest.Serve(l, certificates, c)
	if err != nil {
		return err
	}
	fmt.Printf("etcd %s, simulated, serves %s://%s\n", f.release, at.Scheme, l.Addr())
	for _, fault := range faults {
		fmt.Println("seed", strconv.FormatUint(f.seed, 10)+":", fault)
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt, syscall.SIGTERM)
	<-ended
	stop()
	return nil
}
