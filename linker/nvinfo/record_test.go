package nvinfo

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// records draws lists of records of any format, known or not.
func records() *rapid.Generator[[]Record] {
	record := rapid.Custom(func(t *rapid.T) Record {
		r := Record{Format: Format(rapid.Byte().Draw(t, "format")), Code: Code(rapid.Byte().Draw(t, "code"))}
		if rapid.Bool().Draw(t, "sized") {
			r.Format = Sized
		}
		if r.Format == Sized {
			r.Payload = rapid.SliceOfN(rapid.Byte(), 0, 64).Draw(t, "payload")
		} else {
			r.Value = rapid.Uint16().Draw(t, "value")
		}
		return r
	})
	return rapid.SliceOfN(record, 0, 12)
}

// Written records are read back unchanged (INFO-007).
func TestDecodeReadsWhatEncodeWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := records().Draw(t, "records")
		got, err := Decode(Encode(want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Any bytes are decoded without loss up to the damage. The error contains the offset of the damage
// (INFO-007).
func TestDecodeLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		got, err := Decode(data)
		end := len(data)
		if err != nil {
			var damage *FormatError
			if !errors.As(err, &damage) {
				t.Fatalf("error %v is no FormatError", err)
			}
			end = damage.Offset
		}
		if b := Encode(got); !bytes.Equal(b, data[:end]) {
			t.Fatalf("records of %x are written as %x", data[:end], b)
		}
	})
}

func TestDecode(t *testing.T) {
	tests := []struct {
		name string
		data string
		want []Record
		err  string
	}{
		{"no records", "", nil, ""},
		{"no value is four bytes", "\x01\x35\x00\x00", []Record{{Format: NoValue, Code: 0x35}}, ""},
		{"byte is four bytes", "\x02\x4c\x03\x00", []Record{{Format: Byte, Code: NumBarriers, Value: 3}}, ""},
		{"half is four bytes", "\x03\x1b\xff\x01", []Record{{Format: Half, Code: MaxRegCount, Value: 0x1ff}}, ""},
		{"sized has a payload", "\x04\x37\x04\x00\x82\x00\x00\x00", []Record{New(CudaAPIVersion, 0x82)}, ""},
		{"payloads are not padded", "\x04\x5b\x01\x00\x07\x02\x4c\x01\x00", []Record{
			{Format: Sized, Code: 0x5b, Payload: []byte{7}}, {Format: Byte, Code: NumBarriers, Value: 1}}, ""},
		{"unknown format is four bytes", "\x80\x5b\x02\x01", []Record{{Format: 0x80, Code: 0x5b, Value: 0x102}}, ""},
		{"cut off", "\x02\x4c\x03\x00\x02", []Record{{Format: Byte, Code: NumBarriers, Value: 3}}, "record is cut off at 0x4: 1 of 4 bytes"},
		{"payload too long", "\x04\x37\x05\x00\x82\x00\x00\x00", nil, "payload runs past the end of the section at 0x0: 5"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Decode([]byte(test.data))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if text := errorText(err); text != test.err {
				t.Errorf("error %q, want %q", text, test.err)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestWithWordLeavesTheRest(t *testing.T) {
	r := New(RegCount, 5, 24)
	if got := r.WithWord(1, 40); got.Word(0) != 5 || got.Word(1) != 40 || r.Word(1) != 24 {
		t.Errorf("WithWord gives %v and leaves %v", got, r)
	}
	if got := r.WithWord(2, 1); got.Words() != 2 {
		t.Errorf("WithWord past the end gives %v", got)
	}
}
