package output

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// uninterrupted blocks each signal that would end the process, but only while its function runs.
func TestUninterrupted(t *testing.T) {
	for _, s := range endingSignals {
		if signal.Ignored(s) { // for example under nohup
			continue
		}
		arrived := make(chan os.Signal, 2)
		signal.Notify(arrived, s)
		send := func() {
			if err := syscall.Kill(os.Getpid(), s); err != nil {
				t.Error(err)
			}
		}
		uninterrupted(send)
		if len(arrived) > 0 {
			t.Errorf("%v: it arrived", s)
		}
		send()
		<-arrived
		signal.Reset(s)
	}
}
