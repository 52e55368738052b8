// Build compiles a guest from published modules, from a checkout of Kubernetes or of etcd. A cluster@ is a
// member of a cluster of etcd:
//
//	go run ./build kubernetes@v0.37.2
//	go run ./build kubernetes@DIR
//	go run ./build kubernetes@v0.37.2+116172
//	go run ./build etcd@v3.5.7
//	go run ./build etcd@DIR
//	go run ./build etcd@v3.5.7+FILE.patch
//	go run ./build cluster@v3.6.16
//
// What is behind a plus is a change (package overlay). It copies the guest's source into a folder of its own, vendors
// the modules, and compiles with the overlay. Go is all that must be installed.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "build: name one guest: kubernetes@v0.37.2, etcd@v3.5.7 or cluster@v3.6.16, or kubernetes@DIR, etcd@DIR or cluster@DIR with a checkout; kubernetes@v0.37.2+116172 has a change, as upstream/overlay/undone has it, or +FILE.patch")
		os.Exit(2)
	}
	path, err := build(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "build: "+err.Error())
		os.Exit(2)
	}
	fmt.Println(path)
}
