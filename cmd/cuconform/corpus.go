package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/linker/show"
)

const corpusAbout = `-plain writes every target of the corpus as a plain folder: sm_80/1.argv, 1.exit, in/..., 1.out/... and so on, as docs/corpus.md describes it. The folder must not exist, or be empty.`

func setupCorpus(flags *flag.FlagSet) commandline.Action {
	plain := flags.String("plain", "", "write to this `FOLDER`")
	from := selectionFlags{}
	flags.StringVar(&from.corpus, "corpus", "", "a `FOLDER` with another corpus than the built-in one")
	return func(_ context.Context, _ []string, stdout, _ io.Writer) (int, error) {
		if *plain == "" {
			return 0, errors.New("-plain FOLDER says where to write")
		}
		entries, err := os.ReadDir(*plain)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
		if len(entries) > 0 {
			return 0, fmt.Errorf("%s is not empty", show.Line(*plain))
		}
		return commandline.OK, os.CopyFS(*plain, from.files())
	}
}
