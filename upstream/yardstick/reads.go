package yardstick

import (
	"context"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"

	"github.com/watchbed/watchbed/sim/wire"
)

// version is a resourceVersion as the cache knows it.
func (s *Storage) version(text string) (int64, error) {
	if text == "" {
		return wire.Unset, nil
	}
	v, err := s.cfg.Versioner.ParseResourceVersion(text)
	return int64(v), err
}

func match(m metav1.ResourceVersionMatch) wire.ResourceVersionMatch {
	switch m {
	case metav1.ResourceVersionMatchExact:
		return wire.MatchExact
	case metav1.ResourceVersionMatchNotOlderThan:
		return wire.MatchNotOlderThan
	}
	return wire.MatchUnset
}

// Get implements storage.Interface.
func (s *Storage) Get(ctx context.Context, key string, opts storage.GetOptions, into runtime.Object) error {
	if opts.ResourceVersion == "" {
		// Not through any cache, as in an API server.
		return s.Interface.Get(ctx, key, opts, into)
	}
	version, err := s.version(opts.ResourceVersion)
	if err != nil {
		return err
	}
	prepared, err := storage.PrepareKey(s.cfg.ResourcePrefix, key, false)
	if err != nil {
		return err
	}
	got, err := s.cache.Get(ctx, wire.GetRequest{Key: s.prefix + prepared, ResourceVersion: version})
	switch {
	case err != nil:
		return refusal(err, key, version)
	case got.Item != nil:
		return s.objects.read(ctx, got.Item, got.Item.ModRevision, into)
	case opts.IgnoreNotFound:
		return runtime.SetZeroValue(into)
	}
	return storage.NewKeyNotFoundError(prepared, got.ResourceVersion)
}

// GetList implements storage.Interface.
func (s *Storage) GetList(ctx context.Context, key string, opts storage.ListOptions, into runtime.Object) error {
	if _, _, err := storage.ValidateListOptions(s.cfg.ResourcePrefix, s.cfg.Versioner, opts); err != nil {
		return err
	}
	version, err := s.version(opts.ResourceVersion)
	if err != nil {
		return err
	}
	prepared, err := storage.PrepareKey(s.cfg.ResourcePrefix, key, opts.Recursive)
	if err != nil {
		return err
	}
	selector, err := s.selectors.of(opts.Predicate)
	if err != nil {
		return err
	}
	list, err := s.cache.List(ctx, wire.ListRequest{
		Prefix: s.prefix + prepared, ResourceVersion: version, Match: match(opts.ResourceVersionMatch), Limit: opts.Predicate.Limit,
		Continue: opts.Predicate.Continue, Selector: selector, Single: !opts.Recursive,
	})
	if err != nil {
		return refusalOfList(err, key, version, opts.Predicate.Continue != "")
	}
	pointer, err := meta.GetItemsPtr(into)
	if err != nil {
		return err
	}
	items, err := conversion.EnforcePtr(pointer)
	if err != nil {
		return err
	}
	for _, kv := range list.Items {
		o := s.cfg.NewFunc()
		if err := s.objects.read(ctx, kv, kv.ModRevision, o); err != nil {
			return err
		}
		items.Set(reflect.Append(items, reflect.ValueOf(o).Elem()))
	}
	if items.IsNil() {
		items.Set(reflect.MakeSlice(items.Type(), 0, 0))
	}
	var remaining *int64
	if list.RemainingItemCount > 0 {
		remaining = &list.RemainingItemCount
	}
	return s.cfg.Versioner.UpdateList(into, uint64(list.ResourceVersion), list.Continue, remaining)
}
