package apiserver

import (
	"strings"

	"go.etcd.io/etcd/client/v3/kubernetes"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/etcd3"
)

// newStore makes the etcd3 store of a resource.
func newStore(client *kubernetes.Client, compactor etcd3.Compactor, resource string, group schema.GroupResource) (etcdStore, error) {
	versioner := storage.APIObjectVersioner{}
	return etcd3.New(client, compactor, codec{}, newObject, newList, identity, etcdPrefix, resource, group, keyed{resource},
		etcd3.NewDefaultLeaseManagerConfig(), etcd3.NewDefaultDecoder(codec{}, versioner), versioner)
}

// identity recovers an object's name from its key within the resource. The objects have no namespace.
func identity(key string) (name, namespace string, err error) {
	return key[strings.LastIndex(key, "/")+1:], "", nil
}
