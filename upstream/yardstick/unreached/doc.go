// Package unreached has plain Go tests for bugs of Kubernetes' storage that upstream's correctness suite
// (kubernetes/kubernetes, test/integration/apiserver/storage) puts back and does not find. Each test passes with the
// code that ships, and fails with the bug:
//
//	go run ./measure reproduce -plain   in the folder upstream: both, for each of them
//
// They are for upstream to take: they must import upstream's packages and the standard library only.
package unreached
