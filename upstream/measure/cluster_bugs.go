package main

// etcdBug is a bug of etcd that released servers have.
type etcdBug struct {
	// name is the number of the issue, words what goes wrong.
	name, words string
	// releases have the bug, mended is the one that has it no more.
	releases []string
	mended   string
	// property is what it violates in the world of config, which is what the default configuration has otherwise, as JSON. about says what that world is.
	property, config, about string
	// left is the config without what the bug needs, which without names.
	left, without string
	// each is how many schedules run from each seed on.
	each uint64
}

// etcdBugs are in the order of their numbers.
var etcdBugs = []etcdBug{
	{
		name: "14370", words: "A member alone answers a write before that is durable, and loses it with its power.", releases: []string{"3.5.0"}, mended: "3.5.5",
		property: "linearizable", each: 60,
		about:  "One member, of which the power fails, and whose disk takes time.",
		config: `{"members":1,"choices":{"sync":20000000,"down":100000000},"faults":{"powerLosses":3,"all":true},"clients":4,"operations":12,"think":300000000,"boot":1000000000,"for":4000000000,"watchers":0,"network":5000000}`,
	},
}

// unshown is a bug that does not show here.
type unshown struct{ name, why string }

// resisting are bugs that were looked for, and those that cannot show.
var resisting = []unshown{}
