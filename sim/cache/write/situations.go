package write

import "github.com/watchbed/watchbed/sim"

var (
	suggested            = sim.NewSituation("cache: write begins with the object of the cache")
	unsuggested          = sim.NewSituation("cache: write begins without an object of the cache")
	suggestionDoubted    = sim.NewSituation("cache: write asks etcd whether its suggestion is old")
	beginsAgain          = sim.NewSituation("cache: write begins again with etcd's object in place of its suggestion")
	conflicted           = sim.NewSituation("cache: write begins again because the object has changed")
	suggestionConflicted = sim.NewSituation("cache: transaction of a write failed because its suggestion was old")
	nothingToDo          = sim.NewSituation("cache: update that changes nothing")
	notFound             = sim.NewSituation("cache: write of an object that is not there")
	exists               = sim.NewSituation("cache: creation of an object that is there")
	refused              = sim.NewSituation("cache: etcd refused a write")
	unknownOutcome       = sim.NewSituation("cache: connection to etcd lost during a write")
)
