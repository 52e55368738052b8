// Package wirepb turns the requests of the simulation into those of etcd's API and its
// answers into those of the simulation, field by field. Nothing is judged here.
package wirepb
