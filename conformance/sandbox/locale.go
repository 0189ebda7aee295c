package sandbox

import (
	"os/exec"
	"strings"
	"sync"
)

// A shell or an interpreter that starts a linker warns about a locale that the system lacks. The
// warning would be taken for a message of the linker, so a link gets only locales that the system has.

// plainLocale exists on every system.
const plainLocale = "C"

// systemLocales are the locales of this system, by their normalised names; none where it does not tell.
var systemLocales = sync.OnceValue(func() map[string]bool {
	listing, err := exec.Command("locale", "-a").Output()
	if err != nil {
		return nil
	}
	return parseLocales(string(listing))
})

// parseLocales reads what locale -a prints: a name a line.
func parseLocales(listing string) map[string]bool {
	names := map[string]bool{}
	for _, name := range strings.Fields(listing) {
		names[normalLocale(name)] = true
	}
	return names
}

// normalLocale spells the encoding of a locale as systems compare it: de_DE.UTF-8 and de_DE.utf8 are one.
func normalLocale(name string) string {
	language, encoding, _ := strings.Cut(name, ".")
	return language + "." + strings.ReplaceAll(strings.ToLower(encoding), "-", "")
}

// localeOrPlain returns name where the linker may be given it, else the locale of every system.
func (l *Linker) localeOrPlain(name string) string {
	if l.AnyLocale || systemLocales()[normalLocale(name)] {
		return name
	}
	return plainLocale
}
