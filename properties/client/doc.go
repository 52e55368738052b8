// Package client has the properties of the client library in an API server (package
// sim/client): how much it holds while it runs, and what it still holds when nothing
// more can happen.
package client
