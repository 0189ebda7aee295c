package option

// On Windows, build tools pass the libraries of the host by name, such as kernel32.lib. If the working folder has no
// file of that name, nvlink.exe looks the name up in the search paths, and ignores a name that it does not find.

// NameLibraries returns the inputs that a link reads, and the libraries that it looks for in the search paths. An input
// that is the name of a library, and not a file, is added to the libraries of -l, after all others. Without any other
// input no library is looked for (WIN-700). The tool note records such a name as an input, and also under -l if there
// is an -l.
func (s *Settings) NameLibraries(isFile func(name string) bool) (files, libraries []string) {
	host := s.Platform.Or()
	for _, name := range s.Inputs {
		if host.IsLibraryName(name) && !isFile(name) {
			s.Libraries = append(s.Libraries, name)
		} else {
			files = append(files, name)
		}
	}
	if len(files) == 0 {
		return nil, nil
	}
	return files, s.Libraries
}
