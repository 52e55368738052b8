package recorded_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/conformance/recorded"
)

func recording(t *testing.T, script recorded.Script) *recorded.Recording {
	t.Helper()
	var r recorded.Recording
	if err := realetcd.ReadJSON(filepath.Join(realetcd.WatchScripts(), script.Name+".json"), &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

func TestRecordingsAreOfTheseScripts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(realetcd.WatchScripts(), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(recorded.Scripts()) {
		t.Errorf("%d recordings of %d scripts", len(files), len(recorded.Scripts()))
	}
	for _, script := range recorded.Scripts() {
		t.Run(script.Name, func(t *testing.T) {
			r := recording(t, script)
			if !reflect.DeepEqual(r.Script, script) {
				t.Error("the script has changed since it was recorded")
			}
			times := map[string]int{}
			for _, o := range r.Outcomes {
				if len(o.Responses) != len(script.Steps) {
					t.Errorf("responses to %d steps, want %d", len(o.Responses), len(script.Steps))
				}
				for version, n := range o.Times {
					times[version] += n
				}
			}
			for _, version := range realetcd.Versions() {
				if times[version] == 0 {
					t.Errorf("never played to etcd %s", version)
				}
			}
		})
	}
}

// On a busy machine a script may end with an outcome that is not recorded, so it
// has a few tries.
func TestServersAnswerAsRecorded(t *testing.T) {
	const tries = 5
	for _, version := range realetcd.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			server := realetcd.StartForTest(t, version)
			for _, script := range recorded.Scripts() {
				t.Run(script.Name, func(t *testing.T) {
					want := recording(t, script)
					for range tries {
						got, err := recorded.Play(t.Context(), server, script)
						if err != nil {
							t.Fatal(err)
						}
						if o := want.Find(got); o != nil && o.Times[version] > 0 {
							return
						}
						t.Logf("not among the recorded outcomes: %+v", got)
					}
					t.Error("never answered as recorded")
				})
			}
		})
	}
}
