package yardstick

import (
	"context"
	"path"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/etcd3"
	"k8s.io/apiserver/pkg/storage/value"

	"github.com/watchbed/watchbed/shell"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

// Config is what a storage is made of, as upstream's cacher.Config.
type Config struct {
	// Store takes writes, and is of the same resource.
	Store storage.Interface
	// Client is what the cache asks etcd with.
	Client *clientv3.Client
	// PathPrefix is that of all keys in etcd, ResourcePrefix that of the resource behind it: "/pods/".
	PathPrefix, ResourcePrefix string
	NewFunc                    func() runtime.Object
	Attributes                 storage.AttrFunc
	// Indexed are the names of the fields that the cache has an index of.
	Indexed     []string
	Versioner   storage.Versioner
	Codec       runtime.Codec
	Transformer value.Transformer
	// Design is the one of the cache, EstimateSizes has Stats say how large objects are.
	Design        string
	EstimateSizes bool
}

// Storage is a storage.Interface whose reads the cache answers.
type Storage struct {
	storage.Interface
	cfg    Config
	cache  *shell.Cache
	prefix string
	// objects makes objects of key-values, selectors makes selectors of predicates.
	objects   objects
	selectors *selectors
	stop      context.CancelFunc
	polling   chan struct{}
}

// compactorPollPeriod is how often a cache asks its store for the newest compaction, as upstream's does.
const compactorPollPeriod = 15 * time.Second

// New starts a cache and waits until it is ready.
func New(ctx context.Context, cfg Config) (*Storage, error) {
	options, err := cache.ForDesign(cfg.Design)
	if err != nil {
		return nil, err
	}
	pathPrefix := strings.TrimSuffix(path.Join("/", cfg.PathPrefix), "/") + "/"
	s := &Storage{
		Interface: cfg.Store, cfg: cfg, prefix: strings.TrimSuffix(pathPrefix, "/"), polling: make(chan struct{}),
		objects: objects{cfg.Transformer, etcd3.NewDefaultDecoder(cfg.Codec, cfg.Versioner)},
	}
	s.selectors = newSelectors(&cfg, s.objects)
	s.cache, err = shell.Start(context.Background(), cfg.Client, shell.Config{
		Cache:         cache.Config{Prefix: s.prefix + cfg.ResourcePrefix, Options: options, Fields: s.selectors.fields, Endpoints: len(cfg.Client.Endpoints())},
		EstimateSizes: cfg.EstimateSizes,
	})
	if err != nil {
		return nil, err
	}
	if err := s.cache.Ready(ctx); err != nil {
		s.cache.Close()
		return nil, err
	}
	var polls context.Context
	polls, s.stop = context.WithCancel(context.Background())
	go s.poll(polls)
	return s, nil
}

// Stop ends the cache.
func (s *Storage) Stop() {
	s.stop()
	<-s.polling
	s.cache.Close()
}

// poll tells the cache of compactions.
func (s *Storage) poll(ctx context.Context) {
	defer close(s.polling)
	t := time.NewTicker(compactorPollPeriod)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			s.CompactIfNeeded()
		}
	}
}

// CompactIfNeeded tells the cache of the newest compaction that the store knows of.
func (s *Storage) CompactIfNeeded() {
	if revision := s.Interface.CompactRevision(); revision > 0 {
		// The error is that of a cache that is closed.
		_ = s.cache.Compacted(revision)
	}
}

// ReadinessCheck implements storage.Interface.
func (s *Storage) ReadinessCheck() error {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if s.cache.Ready(ctx) != nil {
		return storage.ErrStorageNotReady
	}
	return nil
}

// Stats implements storage.Interface.
func (s *Storage) Stats(ctx context.Context) (storage.Stats, error) {
	of, err := s.cache.Stats(ctx)
	if err != nil {
		return storage.Stats{}, refusal(err, "", 0)
	}
	return storage.Stats{ObjectCount: of.ObjectCount, EstimatedAverageObjectSizeBytes: of.EstimatedAverageObjectSizeBytes}, nil
}

// Delete implements storage.Interface. As upstream's cacher does, it suggests the state that the cache has.
func (s *Storage) Delete(ctx context.Context, key string, out runtime.Object, preconditions *storage.Preconditions,
	validate storage.ValidateObjectFunc, _ runtime.Object, opts storage.DeleteOptions) error {
	return s.Interface.Delete(ctx, key, out, preconditions, validate, s.suggestion(ctx, key), opts)
}

// GuaranteedUpdate implements storage.Interface, with the same suggestion.
func (s *Storage) GuaranteedUpdate(ctx context.Context, key string, into runtime.Object, ignoreNotFound bool,
	preconditions *storage.Preconditions, update storage.UpdateFunc, _ runtime.Object) error {
	return s.Interface.GuaranteedUpdate(ctx, key, into, ignoreNotFound, preconditions, update, s.suggestion(ctx, key))
}

// suggestion is the object of a key as the cache has it, nil if it has none.
func (s *Storage) suggestion(ctx context.Context, key string) runtime.Object {
	prepared, err := storage.PrepareKey(s.cfg.ResourcePrefix, key, false)
	if err != nil {
		return nil
	}
	got, err := s.cache.Get(ctx, wire.GetRequest{Key: s.prefix + prepared})
	if err != nil || got.Item == nil {
		return nil
	}
	o := s.cfg.NewFunc()
	if s.objects.read(ctx, got.Item, got.Item.ModRevision, o) != nil {
		return nil
	}
	return o
}
