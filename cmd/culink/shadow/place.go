package shadow

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// place makes the file or folder from available as to, by a symbolic link. Windows lets only some users make one. For others,
// place makes the folder anew, with hard links to its files, or copies of those on another drive.
func place(from, to string) error {
	err := os.Symlink(from, to)
	if runtime.GOOS != "windows" {
		return err
	}
	info, missing := os.Stat(from)
	if missing != nil {
		return missing
	}
	if err == nil {
		if _, err := os.Stat(to); err == nil {
			return nil
		}
		os.Remove(to) // a link that Wine does not follow
	}
	if info.IsDir() {
		if err := os.Mkdir(to, 0o777); err != nil {
			return err
		}
		return placeAll(to, from)
	}
	if os.Link(from, to) == nil {
		return nil
	}
	return copyFile(to, from)
}

// releaseFile is a file beside the nvlink of a shadow on Windows. It has the name that the nvlink would have elsewhere.
const releaseFile = "nvlink.culink"

// install makes culink the nvlink of the folder bin. name says what culink stands in for. Windows gives a program the path by
// which it is started, and not that of the file behind a symbolic link. So there nvlink is the copy itself, and a file
// has the name.
func install(bin, name, program string) error {
	nvlink := filepath.Join(bin, executable("nvlink"))
	if runtime.GOOS == "windows" {
		if err := writeNew(filepath.Join(bin, releaseFile), []byte(name), 0o666); err != nil {
			return err
		}
		return copyFile(nvlink, program)
	}
	if err := copyFile(filepath.Join(bin, name), program); err != nil {
		return err
	}
	return os.Symlink(name, nvlink)
}

// nameOf returns the name that says what program stands in for, if it is the nvlink of a shadow.
func nameOf(program string) string {
	name := filepath.Base(program)
	if runtime.GOOS == "windows" && sameName(name, executable("nvlink")) {
		data, _ := os.ReadFile(filepath.Join(filepath.Dir(program), releaseFile))
		return strings.TrimSpace(string(data))
	}
	return name
}

// sameName reports whether two names are those of the same file in a folder. Windows ignores case.
func sameName(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}
