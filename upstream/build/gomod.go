package main

import (
	"encoding/json"

	"github.com/watchbed/watchbed/upstream/overlay"
)

// goMod is what a go.mod says, as go mod edit -json prints it.
type goMod struct {
	Module  moduleVersion
	Go      string
	Require []moduleVersion
	Replace []struct{ Old, New moduleVersion }
}

type moduleVersion struct{ Path, Version string }

// String is as go mod edit takes it. A module in a folder has no version.
func (m moduleVersion) String() string {
	if m.Version == "" {
		return m.Path
	}
	return m.Path + "@" + m.Version
}

func readGoMod(file string) (*goMod, error) {
	text, err := overlay.Installed.Run(".", "mod", "edit", "-json", file)
	if err != nil {
		return nil, err
	}
	said := new(goMod)
	return said, json.Unmarshal([]byte(text), said)
}
