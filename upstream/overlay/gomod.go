package overlay

import "encoding/json"

// GoMod is what a go.mod says, as go mod edit -json prints it.
type GoMod struct {
	Module  ModuleVersion
	Go      string
	Require []ModuleVersion
	Replace []struct{ Old, New ModuleVersion }
}

// ModuleVersion is a module, and its version unless that is a folder.
type ModuleVersion struct{ Path, Version string }

// String is as go mod edit takes it. A module in a folder has no version.
func (m ModuleVersion) String() string {
	if m.Version == "" {
		return m.Path
	}
	return m.Path + "@" + m.Version
}

// ReadGoMod reads a go.mod.
func ReadGoMod(file string) (*GoMod, error) {
	text, err := Installed.Run(".", "mod", "edit", "-json", file)
	if err != nil {
		return nil, err
	}
	said := new(GoMod)
	return said, json.Unmarshal([]byte(text), said)
}
