package apiserver

import (
	"fmt"
	"os"
	"strconv"
	"time"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// setGates sets the feature gates of an API server that are not as its release has them, and returns whether the watch
// cache panics where its invariants are broken.
func setGates(r *protocol.Reader) (panics bool) {
	all := utilfeature.DefaultMutableFeatureGate.GetAll()
	for range r.Int() {
		name, on := r.Text(), r.Bool()
		switch _, known := all[featuregate.Feature(name)]; {
		case name == protocol.GatePanics:
			// The variable was read before the guest's main began.
			panics = on
		case name == protocol.GateWatchListClient:
			// client-go reads its own gates from the environment, when they are first asked for.
			set(os.Setenv("KUBE_FEATURE_"+name, strconv.FormatBool(on)))
		case !known && on:
			panic("this release of Kubernetes has no feature gate " + name)
		case known && utilfeature.DefaultFeatureGate.Enabled(featuregate.Feature(name)) != on:
			set(utilfeature.DefaultMutableFeatureGate.Set(fmt.Sprintf("%s=%t", name, on)))
		}
	}
	return panics
}

func set(err error) {
	if err != nil {
		panic(err)
	}
}

// history is how many events the watch cache keeps, and for how long. What is zero is as the release has it.
type history struct {
	least, most int
	fresh       time.Duration
}

func readHistory(r *protocol.Reader) history {
	return history{int(r.Int()), int(r.Int()), time.Duration(r.Int())}
}
