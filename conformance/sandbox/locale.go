package sandbox

import (
	"os/exec"
	"strings"
	"sync"
)

// If the system lacks a locale, a shell or an interpreter that starts a linker prints a warning, which would count as a
// message of the linker. So a link gets only locales of the system.

// plainLocale is the locale that every system has.
const plainLocale = "C"

// systemLocales returns the normalised names of the locales of this system. The set is empty if locale -a fails.
var systemLocales = sync.OnceValue(func() map[string]bool {
	listing, err := exec.Command("locale", "-a").Output()
	if err != nil {
		return nil
	}
	return parseLocales(string(listing))
})

// parseLocales reads the output of locale -a, which has one name on each line.
func parseLocales(listing string) map[string]bool {
	names := map[string]bool{}
	for _, name := range strings.Fields(listing) {
		names[normalLocale(name)] = true
	}
	return names
}

// normalLocale returns the form of a locale's name by which systems compare it. For example, de_DE.UTF-8 and de_DE.utf8
// are equal.
func normalLocale(name string) string {
	language, encoding, _ := strings.Cut(name, ".")
	return language + "." + strings.ReplaceAll(strings.ToLower(encoding), "-", "")
}

// localeOrPlain returns name if the linker may use that locale, or else the locale that every system has.
func (l *Linker) localeOrPlain(name string) string {
	if l.AnyLocale || systemLocales()[normalLocale(name)] {
		return name
	}
	return plainLocale
}
