package scenarios

// createdInOrder puts aside what rewatch is about. All versions have it, and it
// needs two rare races; with it every scenario of the cache would be violated
// once in some thousand schedules, whatever it is about.
var createdInOrder = []string{"created=in-order"}

var rewatch = &Scenario{
	Name:    "rewatch",
	Summary: "a watch is created anew on a live stream, and progress meant for those before it is taken for its own",
	Doc: `etcd answers a create request through the control queue and, since 3.4.25 and 3.5.8, a progress request through the watch
channel. So Created can be sent before progress that was queued when the watch did not exist yet. That progress is for
watch id -1, all watches of the stream: the client takes it for the new one as well, whose history has not come. What is
left of etcd-io/etcd#15220 in every released version.

A watch ends here and begins anew on the same stream because of a second race: recvLoop stores the option prevKV of a
watch after it has registered it, so that an event may be sent without the previous value; Kubernetes' watcher takes a
DELETE without one for an error.`,
	Params: Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Writers: 2, Writes: 3, Txns: true, Deletes: true, Noise: 1, NoiseWrites: 2,
		Readers: 2, Reads: 3, Read: "consistent", Caches: 1, AwaitReady: true, Keys: 3,
		Items: 1, History: 2, Breaks: 1, Steps: 20_000,
	},
	Claims: []string{"linearizable", "linearizable-data", Mirrors},
	Expected: func(p *Params) []string {
		if hasBug(p, "created-overtakes-progress") {
			return trustsProgress(p, "linearizable", "linearizable-data", Mirrors)
		}
		return overtaken("linearizable", "linearizable-data", Mirrors)(p)
	},
}
