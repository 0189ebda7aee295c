package commandline_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/culink/culink/conformance/commandline"
)

// The program has one command, which prints a greeting.
func ExampleProgram() {
	program := commandline.Program{
		Name: "tool", Summary: "Does one thing.",
		Commands: []commandline.Command{{
			Name: "greet", Summary: "greet people", Arguments: "NAME...",
			Setup: func(flags *flag.FlagSet) commandline.Action {
				word := flags.String("word", "hello", "the `WORD` to say")
				return func(_ context.Context, args []string, stdout, _ io.Writer) (int, error) {
					if err := commandline.Expect(args, 1, -1); err != nil {
						return 0, err
					}
					fmt.Fprintln(stdout, *word, args)
					return commandline.OK, nil
				}
			},
		}},
	}
	ctx := context.Background()
	fmt.Println(program.Run(ctx, []string{"greet", "you", "-word=goodbye"}, os.Stdout, os.Stdout))
	fmt.Println(program.Run(ctx, []string{"greet", "-wrod=x", "you"}, os.Stdout, os.Stdout))
	// Output:
	// goodbye [you]
	// 0
	// tool greet: no flag -wrod; did you mean -word?
	// 2
}

func ExampleDistance() {
	fmt.Println(commandline.Distance("wrod", "word"))
	// Output: 1
}
