package apiserver

import (
	"go.etcd.io/etcd/client/v3/kubernetes"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/etcd3"
)

// newStore makes the etcd3 store of a resource.
func newStore(client *kubernetes.Client, compacts compactor, resource string, group schema.GroupResource) (etcdStore, error) {
	versioner := storage.APIObjectVersioner{}
	return etcd3.New(client, compacts, codec{}, newObject, newList, etcdPrefix, resource, group, keyed{resource},
		etcd3.NewDefaultLeaseManagerConfig(), etcd3.NewDefaultDecoder(codec{}, versioner), versioner), nil
}
