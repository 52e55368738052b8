package etcdtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// served is a client of an etcd at a port of its own, and the address.
func served(t testing.TB, secure bool, c Config) (*clientv3.Client, string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	of := clientv3.Config{Endpoints: []string{l.Addr().String()}, Logger: zap.NewNop()}
	var certificates *tls.Config
	if secure {
		certificates, of.TLS = certificate(t)
	}
	_, stop, err := Serve(l, certificates, c)
	require.NoError(t, err)
	t.Cleanup(stop)
	client, err := clientv3.New(of)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return client, l.Addr().String()
}

// certificate is one for 127.0.0.1, and what trusts it.
func certificate(t testing.TB) (of, trusts *tls.Config) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	c := &x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(time.Hour)}
	signed, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	require.NoError(t, err)
	parsed, err := x509.ParseCertificate(signed)
	require.NoError(t, err)
	trusted := x509.NewCertPool()
	trusted.AddCert(parsed)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{signed}, PrivateKey: key}}}, &tls.Config{RootCAs: trusted}
}

// TestPages: probes and monitoring have what etcd has, on the port of gRPC, with TLS as well.
func TestPages(t *testing.T) {
	for _, secure := range []bool{false, true} {
		c, address := served(t, secure, Config{Etcd: "3.6.16"})
		use(t, c)
		_, trusts := certificate(t)
		h := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: trusts}}
		scheme := "http://"
		if secure {
			scheme = "https://"
			trusts.InsecureSkipVerify = true
		}
		page := func(path string) string {
			r, err := h.Get(scheme + address + path)
			require.NoError(t, err)
			defer r.Body.Close()
			require.Equal(t, http.StatusOK, r.StatusCode, path)
			text, err := io.ReadAll(r.Body)
			require.NoError(t, err)
			return string(text)
		}
		require.JSONEq(t, `{"health":"true","reason":""}`, page("/health"))
		require.Equal(t, "ok\n", page("/readyz"))
		require.JSONEq(t, `{"etcdserver":"3.6.16","etcdcluster":"3.6.0","storage":"3.6.0"}`, page("/version"))
		for _, line := range []string{
			"etcd_server_has_leader 1", "etcd_debugging_mvcc_current_revision 502", "etcd_debugging_mvcc_compact_revision 502",
			"etcd_debugging_mvcc_keys_total 0", "etcd_debugging_mvcc_watcher_total 1",
		} {
			require.Contains(t, page("/metrics"), "\n"+line+"\n")
		}
		members, err := c.MemberList(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{scheme + address}, members.Members[0].ClientURLs)
		_, err = c.MemberRemove(t.Context(), 1)
		require.ErrorIs(t, err, rpctypes.ErrMemberNotFound)
		_, err = c.MemberPromote(t.Context(), members.Members[0].ID)
		require.ErrorIs(t, err, rpctypes.ErrMemberNotLearner)
		_, err = c.MemberAdd(t.Context(), []string{"http://127.0.0.1:1"})
		require.ErrorContains(t, err, "a simulated etcd stays of its members")
		h.CloseIdleConnections()
	}
}

// TestServedFaults: what etcdtest draws breaks on a port as well, and stops. Clients go on: a watch loses nothing.
func TestServedFaults(t *testing.T) {
	faults, err := ParseFaults("restarts=2,leaderchanges=2,overloads=4,within=500ms")
	require.NoError(t, err)
	c, _ := served(t, false, Config{Seed: 3, Network: 4 * time.Millisecond, Faults: &faults})
	w := c.Watch(t.Context(), "a")
	refused, done := 0, int64(0)
	var terms []uint64
	for begin := time.Now(); time.Since(begin) < time.Second; {
		put, err := c.Put(t.Context(), "a", "1")
		if err != nil {
			refused++
			continue
		}
		done++
		terms = append(terms, put.Header.RaftTerm)
	}
	require.Positive(t, refused)
	require.Greater(t, terms[len(terms)-1], terms[0]+1, "restarts and leader changes")
	last, err := c.Get(t.Context(), "a")
	require.NoError(t, err)
	require.GreaterOrEqual(t, last.Kvs[0].Version, done)
	for at := int64(0); at < last.Kvs[0].Version; {
		r, more := <-w
		require.True(t, more)
		require.NoError(t, r.Err())
		for _, e := range r.Events {
			at++
			require.Equal(t, at, e.Kv.Version)
		}
	}
}

// TestServedCompactionsAndRefusals: these end a watch.
func TestServedCompactionsAndRefusals(t *testing.T) {
	faults, err := ParseFaults("refusals,compactions=8,within=300ms")
	require.NoError(t, err)
	c, _ := served(t, false, Config{Faults: &faults})
	var compacted, refused error
	for begin := time.Now(); (compacted == nil || refused == nil) && time.Since(begin) < 5*time.Second; {
		_, err = c.Put(t.Context(), "a", "1")
		require.NoError(t, err)
		_, compacted = c.Get(t.Context(), "a", clientv3.WithRev(2))
		if created := <-c.Watch(t.Context(), "a", clientv3.WithCreatedNotify()); refused == nil {
			refused = created.Err()
		}
	}
	require.ErrorContains(t, compacted, "compacted")
	require.ErrorContains(t, refused, "permission denied")
}

// TestCompactionsBoundMemory: what is compacted goes, and no write is kept for a judge.
func TestCompactionsBoundMemory(t *testing.T) {
	config, err := new(Config).setDefaults()
	require.NoError(t, err)
	r := plain(config)
	go r.loop.run()
	defer r.loop.stop()
	c := &server{loop: r.loop, process: r.loop.processes[0], node: firstProcess, etcd: r.etcd}
	heap := func() uint64 {
		for i := range 10_000 {
			put, err := c.Put(t.Context(), &pb.PutRequest{Key: []byte{byte(i % 20)}, Value: []byte("value")})
			require.NoError(t, err)
			if i%1000 == 999 {
				_, err = c.Compact(t.Context(), &pb.CompactionRequest{Revision: put.Header.Revision, Physical: true})
				require.NoError(t, err)
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	require.Less(t, heap(), before+(200<<10))
}

// TestBadClients: what is malformed or too large, a thousand streams and watches without a reader are an error to their
// client at most, and nothing else notices.
func TestBadClients(t *testing.T) {
	c, address := served(t, false, Config{})
	for _, garbage := range []string{"\x00\xff\x16\x03", preface + "\xff\xff\xff\x00\x00", preface + "\x00\x00\x04\x08\x00\x00\x00\x00\x00\x00\x00", "GET / HTTP/1.1\r\n" + strings.Repeat("a: b\r\n", 1<<16)} {
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		_, _ = conn.Write([]byte(garbage))
		_ = conn.Close()
	}
	_, err := c.Put(t.Context(), "large", strings.Repeat("x", 3<<20))
	require.ErrorContains(t, err, "larger than max")
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	_, err = pb.NewKVClient(conn).Put(t.Context(), &pb.PutRequest{Key: []byte("large"), Value: make([]byte, 3<<20)})
	require.ErrorContains(t, err, "etcdserver: request is too large")
	for i := range 1000 {
		unread, err := pb.NewWatchClient(conn).Watch(t.Context())
		require.NoError(t, err)
		require.NoError(t, unread.Send(&pb.WatchRequest{RequestUnion: &pb.WatchRequest_CreateRequest{CreateRequest: &pb.WatchCreateRequest{Key: []byte{"ab"[min(1, i/50)]}}}}))
	}
	watched := c.Watch(t.Context(), "a")
	for i := range 200 {
		_, err := c.Put(t.Context(), "a", strings.Repeat("x", 1000))
		require.NoError(t, err)
		r := <-watched
		require.Len(t, r.Events, 1)
		require.EqualValues(t, i+1, r.Events[0].Kv.Version)
	}
}

// TestFaultsByName: a mistake is one line with what to do.
func TestFaultsByName(t *testing.T) {
	all, err := ParseFaults("default")
	require.NoError(t, err)
	require.Equal(t, DefaultFaults(), all)
	for text, want := range map[string]string{
		"brakes=1":  `no fault is called "brakes": want default, or some of Within, Breaks, Partitions,`,
		"":          `no fault is called ""`,
		"breaks=-1": "breaks=-1: want a number of faults, such as breaks=2",
		"within":    "within: want a time, such as Within=30s",
	} {
		_, err := ParseFaults(text)
		require.ErrorContains(t, err, want)
	}
}
