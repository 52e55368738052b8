package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/watchbed/watchbed/etcdtest"
)

// TestMistakes: each is one line that says what and where.
func TestMistakes(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	at := "http://" + taken.Addr().String()
	cert, ofCert := pair(t)
	_, key := pair(t)
	for args, want := range map[string]string{
		"--version 3.5.99":                         `etcd: unknown version "3.5.99": 3.5.35 is the newest release of its branch that is known`,
		"--version 3.9.0":                          `etcd: unknown version "3.9.0": 3.3.0 to 3.7.x are known, the nearest is 3.7.3`,
		"--version 3.3.0 --bug issue-15220":        "etcd 3.3.0 cannot have issue-15220, since progress is ignored there: take 3.3.14",
		"--bug issue-1522":                         `unknown bug "issue-1522"; did you mean "issue-15220"? (` + "`simrun list bugs` has all; an option is NAME=VALUE)",
		"--bug kubernetes-35415":                   "kubernetes-35415 is no bug of etcd: `simrun run --bug kubernetes-35415` shows it",
		"--set speed=1":                            "speed=1: unknown option \"speed\" (`simrun list etcd` has all options)",
		"--faults breaks=x":                        "--faults breaks=x: breaks=x: want a number of faults, such as breaks=2",
		"--faults":                                 "flag needs an argument: --faults: see simetcd --help",
		"--network -1s":                            "Network of the configuration is -1000000000: want 0 for its default, or more",
		"--listen-client-urls " + at:               "--listen-client-urls " + at + ": listen tcp " + taken.Addr().String() + ": bind: address already in use",
		"--listen-client-urls localhost:1":         "--listen-client-urls localhost:1: want one URL, such as http://127.0.0.1:2379",
		"--listen-client-urls https://localhost:0": "--listen-client-urls https://localhost:0: want --cert-file and --key-file with it",
		"--cert-file x":                            "--cert-file, --key-file, --client-cert-auth and --trusted-ca-file are for https://: --listen-client-urls is http://127.0.0.1:0",
		"--listen-client-urls https://localhost:0 --cert-file " + cert + " --key-file " + key:                                  "--cert-file " + cert + ", --key-file " + key + ": tls: private key does not match public key",
		"--listen-client-urls https://localhost:0 --client-cert-auth --cert-file " + cert + " --key-file " + ofCert:            "--client-cert-auth: want --trusted-ca-file with it",
		"--listen-client-urls https://localhost:0 --trusted-ca-file " + key + " --cert-file " + cert + " --key-file " + ofCert: "--trusted-ca-file " + key + ": there is no certificate in it",
	} {
		c := command()
		c.SetArgs(append([]string{"--listen-client-urls", "http://127.0.0.1:0"}, strings.Fields(args)...))
		require.EqualError(t, c.Execute(), want)
	}
}

// TestClientsNeedACertificate with --client-cert-auth.
func TestClientsNeedACertificate(t *testing.T) {
	cert, key := pair(t)
	own, err := tls.LoadX509KeyPair(cert, key)
	require.NoError(t, err)
	f := flags{listen: "https://127.0.0.1:0", cert: cert, key: key, trusted: cert, clientCerts: true}
	certificates, err := f.certificates("https")
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, stop, err := etcdtest.Serve(l, certificates, etcdtest.Config{})
	require.NoError(t, err)
	defer stop()
	for _, of := range [][]tls.Certificate{nil, {own}} {
		c, err := clientv3.New(clientv3.Config{
			Endpoints: []string{l.Addr().String()}, TLS: &tls.Config{InsecureSkipVerify: true, Certificates: of}, Logger: zap.NewNop(),
		})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		_, err = c.Put(ctx, "a", "1")
		require.Equal(t, of != nil, err == nil, "%v", err)
		cancel()
		require.NoError(t, c.Close())
	}
}

// pair are the files of a certificate and of its key.
func pair(t *testing.T) (cert, key string) {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	signed, err := x509.CreateCertificate(rand.Reader, c, c, &k.PublicKey, k)
	require.NoError(t, err)
	private, err := x509.MarshalECPrivateKey(k)
	require.NoError(t, err)
	write := func(name, kind string, bytes []byte) string {
		at := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(at, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}), 0o600))
		return at
	}
	return write("cert", "CERTIFICATE", signed), write("key", "EC PRIVATE KEY", private)
}
