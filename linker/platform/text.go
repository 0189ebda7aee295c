package platform

import (
	"bytes"
	"io"
	"strings"
)

// Text returns a writer that writes text to w with the line ends of the platform (WIN-030).
func (p *Platform) Text(w io.Writer) io.Writer {
	if p.LineEnd == "\n" {
		return w
	}
	return &textWriter{w, []byte(p.LineEnd)}
}

// Encode returns text with the line ends of the platform.
func (p *Platform) Encode(text []byte) []byte {
	return bytes.ReplaceAll(text, []byte("\n"), []byte(p.LineEnd))
}

// PTX returns the contents of an output of PTX. nvlink.exe writes a file as text if its path contains ".ptx" in lower
// case (WIN-650).
func (p *Platform) PTX(path string, text []byte) []byte {
	if !strings.Contains(path, ".ptx") {
		return text
	}
	return p.Encode(text)
}

// Decode returns the contents of a text file up to the end of the text, with line feeds as line ends (WIN-022). On Windows
// they are in UTF-8, as all names are there (WIN-930).
func (p *Platform) Decode(data []byte) []byte {
	const end = 0x1a // Ctrl-Z
	if i := bytes.IndexByte(data, end); p.EndOfText && i >= 0 {
		data = data[:i]
	}
	return toUTF8(bytes.ReplaceAll(data, []byte(p.LineEnd), []byte("\n")))
}

type textWriter struct {
	to  io.Writer
	end []byte
}

func (w *textWriter) Write(text []byte) (int, error) {
	if _, err := w.to.Write(bytes.ReplaceAll(text, []byte("\n"), w.end)); err != nil {
		return 0, err
	}
	return len(text), nil
}
