package recorded

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/model"
)

// TestRegisteredLate: of each response it is said whether its event has a previous value.
func TestRegisteredLate(t *testing.T) {
	for _, x := range []struct {
		has  []bool
		late bool
	}{{nil, false}, {[]bool{false}, true}, {[]bool{true}, false}, {[]bool{false, true}, true}, {[]bool{false, false}, false}, {[]bool{true, false}, false}} {
		w := model.WatchStream{Request: model.WatchRequest{PrevKV: true}, Responses: []model.WatchResponse{{Created: true}}}
		for _, has := range x.has {
			e := model.WatchEvent{Item: &model.Item{Key: "a"}}
			if has {
				e.PrevItem = &model.Item{Key: "a"}
			}
			w.Responses = append(w.Responses, model.WatchResponse{Events: []model.WatchEvent{e}})
		}
		assert.Equal(t, x.late, registeredLate(&w), "%v", x.has)
	}
}
