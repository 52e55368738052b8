package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/explore/recording"
)

func linkCommand(s process) *cobra.Command {
	var site string
	c := &cobra.Command{
		Use:   "link FILE",
		Short: "the run as an address: all of it is behind the #",
		Long: `Link prints the address of a page that carries out the run again, to the bit, and goes through it step by step: the
messages, what each node held, how the claims stood, what else could have happened, and what becomes of the run then. The
run itself is behind the #, which no browser sends to a server. "make serve" in the repository has the page at
http://127.0.0.1:8420/; it is static files, made by "make site", so that any web server can have it.

A link holds the choices by number, so it fits programs that have the same choices: another one names the first that is
not the same.`,
		Example: s.named("  PROGRAM link simrun-failures/linearizable-data-0123456789abcdef.json\n  PROGRAM link FILE --site https://example.com/watchbed/"),
		Args:    oneArgument("replay file", s.program+" run writes them to simrun-failures/"),
		RunE: func(_ *cobra.Command, args []string) error {
			rec, _, bed, err := s.open(args[0])
			if err != nil {
				return err
			}
			if bed != nil {
				return usage("%s: a run of a %s has no page, and no link: %s", args[0], bed.Kind, recording.Again(s.program, args[0]))
			}
			made, _ := rec.MadeFor()
			link, err := diagnosis.LinkTo(rec, made)
			if err != nil {
				return usage("%s: %w", args[0], withRemedy(err))
			}
			page, _, _ := strings.Cut(site, "#")
			if !strings.HasPrefix(page, "http://") && !strings.HasPrefix(page, "https://") && !strings.HasPrefix(page, "file://") {
				return usage("--site %s: want an address, such as https://example.com/watchbed/", site)
			}
			fmt.Fprintf(s.out, "%s#%s\n", page, link)
			return nil
		},
	}
	c.Flags().StringVar(&site, "site", "http://127.0.0.1:8420/", "address of the page")
	return c
}
