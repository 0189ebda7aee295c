//go:build unix

package helper

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// answerFile is the file descriptor for the answer of a keeper.
const answerFile = 3

// mostAnswer is the maximum size of a keeper's answer in bytes.
const mostAnswer = 64 << 10

// hasKeepers reports whether a keeper can run the helpers of a process on this system.
const hasKeepers = true

// Keep is the main function of a keeper. args are the path of the helper and its arguments. It returns the exit
// status.
func Keep(args []string) int {
	answer := os.NewFile(answerFile, "answer")
	if len(args) == 0 || answer == nil {
		return 2
	}
	syscall.CloseOnExec(answerFile)
	runtime.LockOSThread() // as in Run
	ctx, cancel := signal.NotifyContext(Own(context.Background()), syscall.SIGTERM)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	status, text := 0, ""
	switch err := ownerOf(ctx).run(cmd).(type) {
	case nil:
	case *ExitError:
		status, text = err.Status, err.Text
	default:
		status, text = notStarted, err.Error()
	}
	if _, err := fmt.Fprintf(answer, "%d %s", status, text); err != nil {
		return 1
	}
	return 0
}

// notStarted is the status in the answer for a helper that could not be started.
const notStarted = -2

// runKept runs a keeper, and returns the result of the helper.
func runKept(cmd *exec.Cmd) error {
	ours, told, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ours.Close()
	input, held, err := os.Pipe()
	if err == nil {
		defer held.Close()
		cmd.Stdin, cmd.ExtraFiles, cmd.Cancel = input, []*os.File{told}, held.Close
		tieKeeper(cmd)
		err = cmd.Start()
		input.Close()
	}
	told.Close()
	if err != nil {
		return err
	}
	answer, _ := io.ReadAll(io.LimitReader(ours, mostAnswer))
	waited := cmd.Wait() // its result is unusable if other code waits for children, or nobody can
	word, text, _ := strings.Cut(string(answer), " ")
	switch status, err := strconv.Atoi(word); {
	case err != nil && waited == nil:
		return fmt.Errorf("%s ended without an answer", cmd.Path)
	case err != nil:
		return fmt.Errorf("%s: %w", cmd.Path, waited)
	case status == 0:
		return nil
	case status == notStarted:
		return fmt.Errorf("%s", text)
	default:
		return &ExitError{status, text}
	}
}
