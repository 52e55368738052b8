package report

import (
	"io"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
)

func WriteRunHTML(w io.Writer, sc *scenarios.Scenario, rec *explore.Recording, f explore.Failure) error {
	return nil
}

func WriteHistoryHTML(w io.Writer, name string, h *model.History, js []linearizability.Judgement) error {
	return nil
}
