// Package reply holds known bugs in what etcd sends, one file each: wrong answers, and
// responses to watches with wrong events or split wrongly. No release had them. Those that
// releases had are in package etcd beside it.
//
// The package must never import diagnosis, report or a command.
package reply
