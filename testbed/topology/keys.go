package topology

import (
	"strconv"
	"strings"
)

// Elsewhere is the prefix of a resource that no cache holds.
const Elsewhere = "/registry/events/"

// Neighbours are prefixes of resources that no cache holds either, next to the first
// watched one: its own name is the beginning of theirs, and no key lies between the last
// of the one before or the first of the one behind and its keys.
var Neighbours = []string{"/registry/pods", "/registry/pods-b/", "/registry/pods.", "/registry/pods0"}

// Prefix is where the objects of a resource live.
func Prefix(resource int) string { return "/registry/" + ResourceName(resource) + "/" }

var resourceNames = [...]string{"pods", "configmaps", "secrets", "nodes"}

// ResourceName names a resource.
func ResourceName(resource int) string {
	if resource < len(resourceNames) {
		return resourceNames[resource]
	}
	return "kind" + strconv.Itoa(resource)
}

// Key is the i-th of the watched keys: resources take turns, then namespaces.
func (t *Topology) Key(i int) string {
	prefix := Prefix(i % t.Resources)
	if t.Namespaces > 0 {
		prefix += Namespace(i%t.Namespaces) + "/"
	}
	return prefix + ObjectName(i/t.Resources)
}

// ObjectName names the i-th object of a resource: a, b, ... z, aa ...
func ObjectName(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return ObjectName(i/26-1) + ObjectName(i%26)
}

// Namespace names the i-th: "team", "team-b", "team-b-b" ... Each begins like the
// one before.
func Namespace(i int) string { return "team" + strings.Repeat("-b", i) }
