package conformance

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// What a killed recording left is gone, and a second recording waits for the first.
func TestKitchen(t *testing.T) {
	leave, err := enterKitchen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(kitchenDir, "left")
	if err := os.WriteFile(left, nil, 0o666); err != nil {
		t.Fatal(err)
	}

	given := errors.New("given up")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(given)
	if _, err := enterKitchen(ctx); !errors.Is(err, given) {
		t.Errorf("entered while another holds it: %v", err)
	}
	if _, err := os.Stat(left); err != nil {
		t.Errorf("the wait changed the folder of the other: %v", err)
	}

	leave()
	if err := os.MkdirAll(left, 0o777); err != nil {
		t.Fatal(err)
	}
	leave, err = enterKitchen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the files of a killed recording: %v", err)
	}
}
