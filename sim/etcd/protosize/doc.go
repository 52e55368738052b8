// Package protosize says how many bytes etcd's messages have as protobuf
// (rpc.proto, kv.proto, raft_internal.proto), with the fields that they have here.
//
//	response   a response to a watch, which is split if it is too large
//	request    a write as it is proposed to raft, which is refused if it is too large
//
// The package must never import a part of the server.
package protosize
