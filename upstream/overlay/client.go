package overlay

// Client is a process with a client of etcd.
var Client = Program{stubs: common}
