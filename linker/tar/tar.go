// Package tar reads and writes tar archives of plain files: packages of a link (linker/repro) and the files of
// a recording (corpus). Go's archive/tar supports much more. For example, it handles the owners of files. That
// needs the system's C library, which the commands avoid.
package tar

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// An archive consists of blocks of 512 bytes: a header before each file, and two blocks of zeros at the end.
// This package supports plain files and long names.

const blockSize = 512

// These are fields of a header, by offset and length. Numbers are written as octal digits.
var (
	tarName     = field{0, 100}
	tarMode     = field{100, 8}
	tarUser     = field{108, 8}
	tarGroup    = field{116, 8}
	tarSize     = field{124, 12}
	tarTime     = field{136, 12}
	tarSum      = field{148, 8}
	tarType     = field{156, 1}
	tarMagic    = field{257, 8}
	tarMajor    = field{329, 8}
	tarMinor    = field{337, 8}
	tarPrefix   = field{345, 155}
	posixFormat = "ustar\x0000"
)

// Types of members.
const (
	typeFile    = '0'
	typeOldFile = 0
	typeRecords = 'x' // records about the next member, such as its long name
)

type field struct{ at, size int }

func (f field) of(b []byte) []byte { return b[f.at : f.at+f.size] }

// text returns a field up to its first NUL.
func (f field) text(b []byte) string {
	text, _, _ := bytes.Cut(f.of(b), []byte{0})
	return string(text)
}

func (f field) number(b []byte) (int64, error) {
	return strconv.ParseInt(strings.Trim(f.text(b), " "), 8, 64)
}

func (f field) putNumber(b []byte, n int64) { copy(f.of(b), fmt.Sprintf("%0*o", f.size-1, n)) }

// sum adds the bytes of a header. The bytes of the checksum field count as blanks.
func sum(header []byte) (n int64) {
	for i, c := range header {
		if i >= tarSum.at && i < tarSum.at+tarSum.size {
			c = ' '
		}
		n += int64(c)
	}
	return n
}

// Write writes a plain file without owner and date.
func Write(w io.Writer, name string, data []byte) error {
	if len(name) > tarName.size || !isASCII(name) {
		record := paxRecord("path", name)
		if err := writeBlocks(w, "records", typeRecords, []byte(record)); err != nil {
			return err
		}
		name = strings.ToValidUTF8(name[:min(len(name), tarName.size)], "")
	}
	return writeBlocks(w, name, typeFile, data)
}

func isASCII(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r > 126 }) < 0 }

// paxRecord returns "LENGTH KEY=VALUE\n". LENGTH includes its own digits.
func paxRecord(key, value string) string {
	rest := " " + key + "=" + value + "\n"
	n := len(rest)
	for len(strconv.Itoa(n))+len(rest) != n {
		n = len(strconv.Itoa(n)) + len(rest)
	}
	return strconv.Itoa(n) + rest
}

func writeBlocks(w io.Writer, name string, typ byte, data []byte) error {
	b := make([]byte, blockSize)
	copy(tarName.of(b), name)
	tarMode.putNumber(b, 0o644)
	tarUser.putNumber(b, 0)
	tarGroup.putNumber(b, 0)
	tarSize.putNumber(b, int64(len(data)))
	tarTime.putNumber(b, 0)
	tarType.of(b)[0] = typ
	copy(tarMagic.of(b), posixFormat)
	tarMajor.putNumber(b, 0)
	tarMinor.putNumber(b, 0)
	copy(tarSum.of(b), fmt.Sprintf("%06o\x00 ", sum(b)))
	padding := make([]byte, -len(data)&(blockSize-1))
	for _, part := range [][]byte{b, data, padding} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// WriteEnd writes the end of an archive.
func WriteEnd(w io.Writer) error {
	_, err := w.Write(make([]byte, 2*blockSize))
	return err
}

// Read reads the next file. It returns io.EOF after the last one, and an error for a member that is not a plain
// file.
func Read(r io.Reader) (name string, data []byte, err error) {
	long := ""
	for {
		b := make([]byte, blockSize)
		if _, err := io.ReadFull(r, b); err != nil || bytes.Equal(b, make([]byte, blockSize)) {
			if err == nil {
				err = io.EOF
			}
			return "", nil, err
		}
		name = tarName.text(b)
		if prefix := tarPrefix.text(b); prefix != "" && string(tarMagic.of(b)) == posixFormat {
			name = prefix + "/" + name
		}
		if want, err := tarSum.number(b); err != nil || want != sum(b) {
			return "", nil, errors.New("not a tar archive, or a damaged one")
		}
		size, err := tarSize.number(b)
		if err != nil || size < 0 {
			return "", nil, fmt.Errorf("member %q: size %q", name, tarSize.text(b))
		}
		typ := tarType.of(b)[0]
		if typ != typeFile && typ != typeOldFile && typ != typeRecords {
			return "", nil, fmt.Errorf("member %q is no plain file", name)
		}
		if data, err = readData(r, size); err != nil {
			return "", nil, fmt.Errorf("member %q: %w", name, err)
		}
		if typ != typeRecords {
			if long != "" {
				name = long
			}
			return name, data, nil
		}
		if long, err = longName(string(data)); err != nil {
			return "", nil, err
		}
	}
}

// readData reads a file and its padding. It allocates memory only as bytes arrive, whatever size the header
// has.
func readData(r io.Reader, size int64) ([]byte, error) {
	var data bytes.Buffer
	if _, err := io.CopyN(&data, r, size); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	if _, err := io.CopyN(io.Discard, r, -size&(blockSize-1)); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return data.Bytes(), nil
}

// longName returns the name that records assign to the next member. It refuses records that would change the
// kind of the member, such as those of sparse files. It ignores records of times and owners.
func longName(records string) (name string, err error) {
	for records != "" {
		digits, rest, _ := strings.Cut(records, " ")
		n, err := strconv.Atoi(digits)
		if err != nil || n <= len(digits)+1 || n > len(records) {
			return "", fmt.Errorf("damaged records %.40q", records)
		}
		key, value, _ := strings.Cut(strings.TrimSuffix(rest[:n-len(digits)-1], "\n"), "=")
		switch key {
		case "path":
			name = value
		case "mtime", "atime", "ctime", "uid", "gid", "uname", "gname", "comment":
		default:
			return "", fmt.Errorf("unknown record %q: only plain files are read", key)
		}
		records = records[n:]
	}
	return name, nil
}
