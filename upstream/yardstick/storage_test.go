package yardstick_test

import (
	"context"
	"fmt"
	"testing"

	apitesting "k8s.io/apimachinery/pkg/api/apitesting"
	examplev1 "k8s.io/apiserver/pkg/apis/example/v1"
	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/etcd3"
	storagetesting "k8s.io/apiserver/pkg/storage/testing"
	"k8s.io/apiserver/pkg/storage/value/encrypt/identity"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
)

// plain are the tests that want nothing but a storage. The names are those that upstream gives them where it runs them
// against its cacher.
var plain = []struct {
	name string
	run  func(context.Context, *testing.T, storage.Interface)
	opts options
}{
	{name: "Create", run: func(ctx context.Context, t *testing.T, s storage.Interface) {
		storagetesting.RunTestCreate(ctx, t, s, func(context.Context, *testing.T, string) {})
	}},
	{name: "CreateWithTTL", run: storagetesting.RunTestCreateWithTTL},
	{name: "CreateWithKeyExist", run: storagetesting.RunTestCreateWithKeyExist},
	{name: "Get", run: storagetesting.RunTestGet},
	{name: "UnconditionalDelete", run: storagetesting.RunTestUnconditionalDelete},
	{name: "ConditionalDelete", run: storagetesting.RunTestConditionalDelete},
	{name: "DeleteWithSuggestion", run: storagetesting.RunTestDeleteWithSuggestion},
	{name: "DeleteWithSuggestionAndConflict", run: storagetesting.RunTestDeleteWithSuggestionAndConflict},
	{name: "DeleteWithSuggestionOfDeletedObject", run: storagetesting.RunTestDeleteWithSuggestionOfDeletedObject},
	{name: "ValidateDeletionWithSuggestion", run: storagetesting.RunTestValidateDeletionWithSuggestion},
	{name: "ValidateDeletionWithOnlySuggestionValid", run: storagetesting.RunTestValidateDeletionWithOnlySuggestionValid},
	{name: "DeleteWithConflict", run: storagetesting.RunTestDeleteWithConflict},
	{name: "PreconditionalDeleteWithSuggestion", run: storagetesting.RunTestPreconditionalDeleteWithSuggestion},
	{name: "PreconditionalDeleteWithSuggestionPass", run: storagetesting.RunTestPreconditionalDeleteWithOnlySuggestionPass},
	{name: "ListPaging", run: storagetesting.RunTestListPaging},
	{name: "GetListRecursivePrefix", run: storagetesting.RunTestGetListRecursivePrefix},
	{name: "ListContinuation", run: withoutCalls(storagetesting.RunTestListContinuation)},
	{name: "ListPaginationRareObject", run: withoutCalls(storagetesting.RunTestListPaginationRareObject)},
	{name: "ListContinuationWithFilter", run: withoutCalls(storagetesting.RunTestListContinuationWithFilter)},
	{name: "NamespaceScopedList", run: storagetesting.RunTestNamespaceScopedList, opts: options{indexed: true}},
	{name: "GuaranteedUpdateWithTTL", run: storagetesting.RunTestGuaranteedUpdateWithTTL},
	{name: "GuaranteedUpdateWithConflict", run: storagetesting.RunTestGuaranteedUpdateWithConflict},
	{name: "GuaranteedUpdateWithSuggestionAndConflict", run: storagetesting.RunTestGuaranteedUpdateWithSuggestionAndConflict},
	{name: "KeySchema", run: storagetesting.RunTestKeySchema},
	{name: "Watch", run: storagetesting.RunTestWatch},
	{name: "DeleteTriggerWatch", run: storagetesting.RunTestDeleteTriggerWatch},
	{name: "WatchFromNonZero", run: storagetesting.RunTestWatchFromNonZero},
	{name: "DelayedWatchDelivery", run: storagetesting.RunTestDelayedWatchDelivery},
	{name: "WatcherTimeout", run: storagetesting.RunTestWatcherTimeout},
	{name: "WatchDeleteEventObjectHaveLatestRV", run: storagetesting.RunTestWatchDeleteEventObjectHaveLatestRV},
	{name: "WatchInitializationSignal", run: storagetesting.RunTestWatchInitializationSignal},
	{name: "ClusterScopedWatch", run: storagetesting.RunTestClusterScopedWatch, opts: options{clusterScoped: true, indexed: true}},
	{name: "NamespaceScopedWatch", run: storagetesting.RunTestNamespaceScopedWatch, opts: options{indexed: true}},
	{name: "WatchDispatchBookmarkEvents", run: func(ctx context.Context, t *testing.T, s storage.Interface) {
		storagetesting.RunTestWatchDispatchBookmarkEvents(ctx, t, s, true)
	}},
	{name: "WatchBookmarksWithCorrectResourceVersion", run: storagetesting.RunTestOptionalWatchBookmarksWithCorrectResourceVersion},
	{name: "SendInitialEventsBackwardCompatibility", run: storagetesting.RunSendInitialEventsBackwardCompatibility},
	{name: "WatchSemantics", run: showing(storagetesting.RunWatchSemantics)},
	{name: "WatchSemanticInitialEventsExtended", run: showing(storagetesting.RunWatchSemanticInitialEventsExtended)},
	{name: "WatchListMatchSingle", run: showing(storagetesting.RunWatchListMatchSingle)},
}

// withoutCalls runs a test that would count calls of a store.
func withoutCalls(run func(context.Context, *testing.T, storage.Interface, storagetesting.CallsValidation)) func(context.Context, *testing.T, storage.Interface) {
	return func(ctx context.Context, t *testing.T, s storage.Interface) {
		run(ctx, t, s, func(*testing.T, uint64, uint64) {})
	}
}

// showing runs a test whose objects must be in the cache once they are created.
func showing(run func(context.Context, *testing.T, storage.Interface)) func(context.Context, *testing.T, storage.Interface) {
	return func(ctx context.Context, t *testing.T, s storage.Interface) { run(ctx, t, &shown{s}) }
}

func TestPlain(t *testing.T) {
	for _, c := range plain {
		t.Run(c.name, func(t *testing.T) { c.run(context.Background(), t, setUp(t, c.opts)) })
	}
}

func TestLists(t *testing.T) {
	for _, snapshots := range []bool{true, false} {
		t.Run(fmt.Sprintf("ListFromCacheSnapshot=%v", snapshots), func(t *testing.T) {
			featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.ListFromCacheSnapshot, snapshots)
			t.Run("List", func(t *testing.T) {
				w := setUp(t, options{})
				storagetesting.RunTestList(context.Background(), t, w, w.compact, true, w.recorder)
			})
			t.Run("ConsistentList", func(t *testing.T) {
				w := setUp(t, options{})
				storagetesting.RunTestConsistentList(context.Background(), t, w, w.increaseRV, true, true, snapshots)
			})
			t.Run("GetListNonRecursive", func(t *testing.T) {
				w := setUp(t, options{})
				storagetesting.RunTestGetListNonRecursive(context.Background(), t, w.increaseRV, w)
			})
		})
	}
}

func TestCompactions(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.ListFromCacheSnapshot, true)
	t.Run("CompactRevision", func(t *testing.T) {
		w := setUp(t, options{})
		storagetesting.RunTestCompactRevision(context.Background(), t, w, w.increaseRV, w.compact)
	})
	t.Run("WatchFromZero", func(t *testing.T) {
		w := setUp(t, options{})
		storagetesting.RunTestWatchFromZero(context.Background(), t, w, w.startOver)
	})
}

func TestUnsafeDeletes(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.AllowUnsafeMalformedObjectDeletion, true)
	codec := apitesting.TestCodec(codecs, examplev1.SchemeGroupVersion)
	t.Run("DeleteWithConflictAndMissingExpectedTransformOrDecodeError", func(t *testing.T) {
		f := &failing{Transformer: identity.NewEncryptCheckTransformer()}
		w := setUp(t, options{transformer: failingTransformer{f}})
		storagetesting.RunTestDeleteWithConflictAndMissingExpectedTransformOrDecodeError(context.Background(), t, w, f.fails.Store)
	})
	t.Run("DeleteWithConflictAndExpectedTransformError", func(t *testing.T) {
		f := &failing{Transformer: identity.NewEncryptCheckTransformer()}
		w := setUp(t, options{transformer: failingTransformer{f}})
		storagetesting.RunTestDeleteExpectedTransformOrDecodeError(context.Background(), t, w, f.fails.Store)
	})
	t.Run("DeleteWithConflictAndExpectedDecodeError", func(t *testing.T) {
		etcd3.TestOnlySetFatalOnDecodeError(t, false)
		f := &failing{Codec: codec}
		w := setUp(t, options{codec: failingCodec{f}})
		storagetesting.RunTestDeleteExpectedTransformOrDecodeError(context.Background(), t, w, f.fails.Store)
	})
	t.Run("DeleteWithSuggestionAndMissingExpectedTransformOrDecodeError", func(t *testing.T) {
		storagetesting.RunTestDeleteWithSuggestionAndMissingExpectedTransformOrDecodeError(context.Background(), t, setUp(t, options{}))
	})
}

func TestStats(t *testing.T) {
	for _, estimates := range []bool{true, false} {
		t.Run(fmt.Sprintf("SizeBasedListCostEstimate=%v", estimates), func(t *testing.T) {
			featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SizeBasedListCostEstimate, estimates)
			w := setUp(t, options{})
			storagetesting.RunTestStats(context.Background(), t, w, protobufCodec, identity.NewEncryptCheckTransformer(), estimates)
		})
	}
}
