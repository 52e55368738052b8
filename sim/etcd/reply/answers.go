package reply

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// Answering is a value of Answers.
type Answering uint8

// Answer says what a request is answered, given the right answer. That may be an error,
// and belongs to the store: a function that changes it changes a copy.
type Answer func(env *sim.Env, request, right sim.Payload) sim.Payload

// Answers are the ways to answer a request of etcd's key-value API.
var Answers = option.NewSeam[Answering, Answer]("answers", "what etcd answers to requests of its key-value API").
	Shipped("right", "what its store says: all releases", func(_ *sim.Env, _, right sim.Payload) sim.Payload { return right })

// Options are those of the answers.
type Options struct{ Answers Answering }

// Choices are the options of the answers.
var Choices = option.NewGroup("etcd", option.SeamOption(Answers, func(o *Options) *Answering { return &o.Answers }))
