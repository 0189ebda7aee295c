package diff

import (
	"fmt"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/show"
)

// releases names the releases that made two cubins, if they differ (KIT-008). They probably explain most differences. It
// returns the empty string if a file does not contain its release.
func releases(nameA, nameB string, a, b []byte) string {
	madeA, madeB := release(nameA, a), release(nameB, b)
	if madeA == madeB || madeA == "" || madeB == "" {
		return ""
	}
	return fmt.Sprintf("%s is of toolkit %s, %s of %s\n", show.Line(nameA), madeA, show.Line(nameB), madeB)
}

// release returns the release that made a cubin.
func release(name string, data []byte) string {
	f, err := cubin.Open(name, data)
	if err != nil {
		return ""
	}
	made := nvinfo.OriginOf(f).Toolkit
	if made == 0 {
		return ""
	}
	return fmt.Sprintf("%d.%d", made/10, made%10)
}
