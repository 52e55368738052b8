package apiserver

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/cacher"
	etcdfeature "k8s.io/apiserver/pkg/storage/feature"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// etcdPrefix is that of all keys of an API server in etcd.
const etcdPrefix = "/registry"

// Server is the storage of one resource, as an API server assembles it.
type Server struct {
	host     Host
	etcd     *etcd
	resource string
	goes     func(func())
	// storage is what an API server has that was told to cache nothing, delegator what one has
	// with the cacher in front of it.
	storage, delegator storage.Interface
	cacher             *cacher.Cacher
	// parts are what Stop stops, in the order in which they were made.
	parts []func()
	// clients are the connections of clients whose requests are under way. The host's lock guards it.
	clients map[uint32]context.CancelFunc
	// comparisons are those of the cacher with etcd.
	comparisons comparisons
	// shown is what the host knows of the cache.
	shown shown
}

// New returns a storage that has to be sent a Start first. serve has a goroutine of its own call a function, which
// answers a client.
func New(h Host, serve func(func())) *Server {
	return &Server{host: h, goes: serve, etcd: newEtcd(h)}
}

// Receive takes a message of the host. One goroutine calls it.
func (s *Server) Receive(r protocol.Reader) {
	switch kind, conn := r.Begin(); kind {
	case protocol.Start:
		s.start(&r)
	case protocol.List:
		s.serve(conn, listRequest(&r).list)
	case protocol.Get:
		s.serve(conn, getRequest(&r).get)
	case protocol.Watch:
		s.serve(conn, watchRequest(&r).watch)
	case protocol.Create:
		s.serve(conn, createRequest(&r).create)
	case protocol.Update:
		s.serve(conn, updateRequest(&r).update)
	case protocol.Delete:
		s.serve(conn, deleteRequest(&r).delete)
	case protocol.Readyz:
		s.serve(conn, s.readyz)
	case protocol.Hangup:
		s.hangup(conn, r.Bool(), r.Bool())
	case protocol.Ranged:
		s.etcd.answered(conn, answer{ranged: readRanged(&r)})
	case protocol.Txned:
		s.etcd.answered(conn, answer{txned: readTxned(&r)})
	case protocol.Refused:
		s.etcd.refused(conn, readError(&r))
	case protocol.Versioned:
		s.etcd.answered(conn, answer{version: r.Text()})
	case protocol.Inspect:
		s.show()
	case protocol.Recall:
		s.recall()
	case protocol.WatchResponse:
		response := readWatchResponse(&r)
		s.host.Lock()
		if w := s.etcd.watches[conn]; w != nil {
			w.deliver(response)
		}
		s.host.Unlock()
	case protocol.Streamed:
		s.host.Lock()
		s.etcd.ranges.deliver(conn, &r)
		s.host.Unlock()
	}
}

// hangup takes the end of a client's connection, or of one to etcd.
func (s *Server) hangup(conn uint32, client, broken bool) {
	if client {
		s.host.Lock()
		cancel := s.clients[conn]
		s.host.Unlock()
		if cancel != nil {
			cancel()
		}
		return
	}
	lost := status.Error(codes.Unavailable, "the connection broke")
	s.etcd.answered(conn, answer{err: lost})
	why := io.EOF
	if broken {
		why = lost
	}
	s.etcd.endRange(conn, why)
	s.host.Lock()
	defer s.host.Unlock()
	if w := s.etcd.watches[conn]; w != nil {
		delete(s.etcd.watches, conn)
		w.end(why)
	}
}

// serve has a goroutine of its own answer a client, as an HTTP server does.
func (s *Server) serve(conn uint32, answer func(context.Context, *Server, *reply)) {
	ctx, cancel := context.WithCancel(context.Background())
	s.host.Lock()
	s.clients[conn] = cancel
	s.host.Unlock()
	s.goes(func() {
		answer(ctx, s, &reply{host: s.host, conn: conn})
		cancel()
		s.host.Lock()
		defer s.host.Unlock()
		delete(s.clients, conn)
	})
}

// start makes the storage: what staging/src/k8s.io/apiserver does in
// registry.StorageWithCacher and factory.newETCD3Storage.
func (s *Server) start(r *protocol.Reader) {
	s.host.Seed(uint64(r.Int()))
	s.resource = strings.TrimPrefix(r.Text(), etcdPrefix)
	attributesOfServer = attributes{indexed: r.Text(), unindexed: r.Text(), label: r.Text()}
	selected := &attributesOfServer
	compacts := r.Bool()
	trusts, endpoints := r.Bool(), r.Int()
	panics := setGates(r)
	history := readHistory(r)
	s.host.SetChecks(time.Duration(r.Int()), panics)
	s.clients = map[uint32]context.CancelFunc{}

	checker := newChecker()
	etcdfeature.DefaultFeatureSupportChecker = checker
	if trusts {
		etcdfeature.DefaultFeatureSupportChecker = progressIsSupported{checker}
	}
	library := clientv3.NewCtxClient(context.Background())
	library.KV = clientv3.NewKVFromKVClient(s.etcd, library)
	library.Watcher = clientv3.NewWatchFromWatchClient(s.etcd, library)
	library.Lease = noLeases{}
	client := &kubernetes.Client{Client: library}
	client.Kubernetes = client

	groupResource := schema.GroupResource{Resource: strings.Trim(s.resource, "/")}
	versioner := storage.APIObjectVersioner{}
	var polls compactor
	if compacts {
		var stop func()
		polls, stop = newCompactor(library)
		s.parts = append(s.parts, stop)
	}
	store, err := newStore(client, polls, s.resource, groupResource)
	if err != nil {
		panic(err)
	}
	// etcd3.New has asked the endpoints of its client, which has none.
	checker.CheckClient(library.Ctx(), members{s.etcd, endpoints}, storage.RequestWatchProgress)
	s.storage = traced{store}
	config := cacher.Config{
		Storage: s.storage, Versioner: versioner, GroupResource: groupResource,
		EventsHistoryWindow: cacher.DefaultEventFreshDuration, ResourcePrefix: s.resource,
		KeyFunc:      func(o runtimeObject) (string, error) { return s.resource + nameOf(o.(*object)), nil },
		GetAttrsFunc: selected.of, NewFunc: newObject, NewListFunc: newList, Codec: codec{}, Clock: clock.RealClock{},
	}
	if selected.indexed != "" {
		config.IndexerFuncs = storage.IndexerFuncs{selected.indexed: writerOf}
		config.Indexers = &cache.Indexers{storage.FieldIndex(selected.indexed): func(o any) ([]string, error) {
			return []string{writerOf(o.(runtimeObject))}, nil
		}}
	}
	if s.cacher, err = cacher.NewCacherFromConfig(config); err != nil {
		panic(err)
	}
	s.host.SetHistory(s.cacher, history.least, history.most, history.fresh)
	s.comparisons.labels = checkLabels(groupResource, s.resource)
	delegator := cacher.NewCacheDelegator(s.cacher, compared{s.storage, &s.comparisons})
	s.delegator = delegator
	s.parts = append(s.parts, func() { library.Close() }, store.Close, s.cacher.Stop, delegator.Stop)
}

// Stop ends what the storage has under way. A guest in WebAssembly is put back to its beginning in place of that.
func (s *Server) Stop() {
	s.host.Lock()
	for _, cancel := range s.clients {
		cancel()
	}
	s.host.Unlock()
	for _, stop := range slices.Backward(s.parts) {
		stop()
	}
}

// progressIsSupported has etcd support progress requests, whatever its version, for scenarios
// that switch off the check of the version.
type progressIsSupported struct {
	etcdfeature.FeatureSupportChecker
}

func (p progressIsSupported) Supports(f storage.Feature) bool {
	return f == storage.RequestWatchProgress || p.FeatureSupportChecker.Supports(f)
}

type noLeases struct{ clientv3.Lease }

func (noLeases) Close() error { return nil }
