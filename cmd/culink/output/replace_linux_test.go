package output

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// A signal that would end the process is blocked during an uninterruptible section, and only then.
func TestUninterrupted(t *testing.T) {
	for _, s := range endingSignals {
		if signal.Ignored(s) { // as below nohup
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
