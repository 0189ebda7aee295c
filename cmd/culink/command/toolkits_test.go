package command

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/culink/culink/conformance/tools/toolstest"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/platform"
)

// testdata/toolkits has the outcomes of each release's nvlink for the same inputs. The inputs are objects of 13.0 from
// the corpus, and objects that compilers of other releases made from the same sources. There is a link for each row of
// arch.Differences. The releases on both sides of the row run it.

// A toolkitLink is a link that several releases run.
type toolkitLink struct {
	rules    string // rules that the link shows
	link     string // step of a case
	made     string // the release that made the inputs, if it is not 13.0
	releases string
}

var toolkitLinks = []toolkitLink{
	{"KIT-032 KIT-022", "basic/chain-of-five/sm_90/1", "", newer},
	{"KIT-010", "basic/chain-of-five/sm_80/1", "", newer + " 12.4 12.5"},
	{"KIT-032", "info/compat-missing-codes/sm_90/1", "", newer},
	{"KIT-032", "info/compat-of-two/sm_90/1", "", newer},
	{"KIT-021", "basic/call-graph-executable-twice/sm_80/1", "", newer},
	{"KIT-022", "basic/debug-information/sm_80/1", "", newer},
	{"KIT-016", "relocatable/extern-shared/sm_80/1", "", newer},
	{"KIT-016", "relocatable/kinds/sm_90/1", "", newer},
	{"KIT-017", "options/preserve-relocs-left-out/sm_80/1", "", newer},
	{"KIT-017", "options/preserve-relocs-left-out/sm_80/4", "", newer},
	{"KIT-018", "info/cache-preference-conflict/sm_80/1", "", newer},
	{"KIT-018", "info/attributes-never-written/sm_80/1", "", newer},
	{"KIT-088", "callgraph/heap-of-lone-kernel/sm_80/2", "", newer},
	{"KIT-023", "host/constants/sm_80/1", "", newer},
	{"KIT-023", "constant/constants-null-symbol/sm_80/1", "", newer},
	{"KIT-024", "merge/common-and-empty-definition/sm_80/1", "", newer},
	{"KIT-024", "merge/common-and-empty-definition/sm_80/2", "", newer},
	{"KIT-025", "options/debug-without-debug/sm_80/1", "", newer},
	{"KIT-690", "constant/compiler-constants-of-copies/sm_80/1", "", newer},
	{"KIT-711", "texture/whole-program/sm_100/9", "", newer},
	{"KIT-024", "global/common-of-largest-size-named/sm_80/1", "", newer},
	{"KIT-089", "options/verbose/sm_80/1", "", newer},
	{"INFO-976", "merge/section-types/sm_80/4", "", newer},
	{"KIT-099 KIT-100", "options/verbose-surfaces/sm_80/1", "", newer},
	{"KIT-099 KIT-100", "options/verbose-samplers/sm_90/1", "", newer},
	{"KIT-100", "merge/reference-is-no-call/sm_80/1", "", newer},
	{"KIT-089", "merge/sections-of-plain-types/sm_80/1", "", "13.0 13.4 13.5"},
	{"KIT-090", "relocatable/extern-shared-instance/sm_80/3", "", newer},
	{"KIT-090", "relocatable/twice/sm_90/2", "", newer},
	{"KIT-091", "mercury/suffixes/sm_100/1", "", "13.0 13.1 13.5"},
	{"KIT-091", "mercury/other-target-refused/sm_120/3", "", "13.0 13.1 13.5"},
	{"KIT-092", "options/virtual-target/sm_100/1", "", newer},
	{"KIT-092", "options/virtual-target/sm_90/1", "", newer},
	{"KIT-034", "messages/suffixes/sm_80/8", "", newer},
	{"KIT-019 KIT-032 KIT-136", "mercury/machine-code-only/sm_100/1", "", "13.0 13.1 13.2 13.3 13.4 13.5"},
	{"KIT-036 KIT-037 KIT-038 KIT-039 KIT-040", "basic/chain-of-five/sm_100/1", "", newer},
	{"KIT-039", "mercury/preserved/sm_100/1", "", newer},
	{"KIT-041", "stack/alloca/sm_100/1", "", newer},
	{"KIT-060 KIT-041", "callgraph/recursive-pair-and-chain/sm_100/1", "", newer},
	{"KIT-060", "stack/mutual-recursion/sm_100/1", "", newer},
	{"KIT-060", "info/emulated-atomics/sm_100/1", "", "13.0 13.1 13.5"},
	{"KIT-060", "info/bulk-copy/sm_100/1", "", "13.0 13.1 13.5"},
	{"KIT-062 KIT-061", "callgraph/dump-registers/sm_100/1", "", "13.0 13.1 13.5"},
	{"KIT-063", "callgraph/dump-names/sm_100/1", "", "13.0 13.2 13.3 13.5"},
	{"KIT-061 KIT-060", "callgraph/registers/sm_120/1", "", "13.0 13.1 13.5"},
	{"KIT-043", "basic/debug-information/sm_120/1", "", newer},
	{"KIT-102", "global/pointers/sm_120/1", "", "13.0 13.1 13.3 13.5"},
	{"KIT-103", "mercury/position-independent/sm_120/1", "", "13.0 13.1 13.3 13.5"},
	{"KIT-106", "mercury/fences/sm_120/1", "", "13.0 13.1 13.5"},
	{"KIT-106 KIT-050", "shared/static/sm_120/1", "", "13.0 13.4"},
	{"KIT-106 KIT-050", "shared/static/sm_103/1", "", "13.0 13.4 13.5"},
	{"KIT-109", "mercury/hints/sm_100/1", "", "13.0 13.1 13.5"},
	{"KIT-173", "mercury/fast-path-instructions/sm_100/1", "", "13.1 13.2"},
	{"KIT-190", "reloc/kinds-in-one-file/sm_110/1", "", "13.1 13.2 13.5"},
	{"KIT-107", "mercury/preserved/sm_120/1", "", "13.0 13.1 13.5"},
	{"KIT-108", "mercury/statics-options/sm_120/1", "", "13.0 13.1 13.5"},
	{"KIT-104", "mercury/frames-behind-alias/sm_100/1", "", "13.0 13.4 13.5"},
	{"KIT-104", "mercury/lines-behind-alias/sm_120/2", "", "13.0 13.4 13.5"},
	{"KIT-105", "reloc/shared-address/sm_100/1", "", "13.0 13.3 13.4 13.5"},
	{"KIT-060", "stack/recursion/sm_100/1", "", "13.0 13.1 13.5"},
	{"KIT-060", "mercury/scoreboards/sm_120/1", "", "13.0 13.1 13.5"},
	{"KIT-042 KIT-039", "basic/debug-information/sm_100/1", "", newer},
	{"KIT-042", "mercury/fences-debug/sm_120/1", "", "13.0 13.3 13.5"},
	{"KIT-042", "mercury/exits/sm_100/2", "", "13.0 13.1 13.3 13.5"},
	{"KIT-095", "info/attributes-unknown/sm_80/1", "", newer},
	{"KIT-095", "host/other-classes/sm_80/14", "", newer},
	{"KIT-095", "reloc/no-symbols/sm_80/2", "", newer},
	{"KIT-122", "fatbin/undecodable/sm_80/4", "", "11.8 12.4"},
	{"KIT-122", "fatbin/undecodable/sm_80/6", "", "11.8 12.4"},
	{"KIT-687", "fatbin/undecodable/sm_80/7", "", "12.4 12.5 13.0"},
	{"KIT-123", "fatbin/undecodable/sm_80/9", "", "12.4 13.0"},
	{"KIT-123", "fatbin/lto-objects/sm_80/1", "", "11.8 12.4 12.5 13.0"},
	{"KIT-208", "messages/damaged-flags/sm_80/1", "", "12.4 12.5 13.0"},
	{"KIT-208", "messages/damaged-header/sm_90/6", "", "12.4 12.5 13.0"},
	{"KIT-130", "info/least-memory/sm_80/1", "", newer},
	{"KIT-120", "fatbin/undecodable/sm_80/1", "", newer},
	{"KIT-120", "fatbin/undecodable/sm_80/4", "", "13.0 13.1"},
	{"KIT-120", "fatbin/undecodable/sm_80/8", "", "13.0 13.1 13.5"},
	{"KIT-121", "fatbin/undecodable/sm_80/3", "", "13.1 13.4 13.5"},
	{"KIT-124", "archive/library-files/sm_80/3", "", "13.3 13.4"},
	{"KIT-124", "archive/bounds/sm_80/1", "", "13.3 13.4"},
	{"KIT-124", "archive/bounds/sm_80/3", "", "13.3 13.4"},
	{"KIT-136 KIT-137", "mercury/machine-code-only/sm_120/2", "", "13.2 13.3 13.4 13.5"},
	{"KIT-134", "mercury/lost-jump-tables/sm_100/1", "", "13.0 13.4 13.5"},
	{"KIT-940", "weak/constants-after-lost-copy/sm_100/1", "", "13.0 13.4 13.5"},
	{"KIT-941", "mercury/whole-program-relinked/sm_100/2", "", "13.4 13.5"},
	{"KIT-711", "mercury/parameter-banks-made/sm_100/5", "", "13.4 13.5"},
	{"KIT-053", "texture/handle-parameters/sm_100/3", "", "13.0 13.4 13.5"},
	{"KIT-460", "info/externs-of-launcher/sm_100/1", "", "13.0 13.4 13.5"},
	{"KIT-460", "info/externs-of-launcher/sm_100/2", "", "13.4 13.5"},
	{"KIT-138", "options/no-reserved-shared/sm_100/2", "", "13.0 13.4 13.5"},
	{"KIT-139", "damaged/data-of-both-halves/sm_100/4", "", "13.0 13.4 13.5"},
	{"KIT-139", "damaged/data-of-both-halves/sm_100/5", "", "13.0 13.4 13.5"},
	{"KIT-140", "fatbin/other-entries/sm_103/3", "", "13.0 13.4 13.5"},
	{"KIT-149", "fatbin/suffixes/sm_100f/1", "", "13.0 13.1 13.5"},
	{"KIT-149", "fatbin/suffixes/sm_100f/3", "", "13.0 13.1 13.5"},
	{"KIT-142", "mercury/reserved-shared-alignment/sm_110/1", "", "13.0 13.1 13.2"},
	{"KIT-142", "mercury/reserved-shared-alignment/sm_110/2", "", "13.1 13.2 13.3 13.4"},
	{"KIT-131", "damaged/mercury-tables-refused/sm_100/2", "", "13.0 13.1 13.5"},
	{"KIT-131", "mercury/mercury-no-kind-of-code/sm_100/1", "", "13.0 13.1 13.5"},
	{"KIT-100", "options/preserve-relocs-left-out/sm_80/2", "", "13.2 13.3"},
	{"KIT-097", "reloc/no-symbols/sm_80/1", "", newer},
	{"KIT-098", "reloc/every-type/sm_80/1", "", newer},
	{"KIT-010 KIT-011 KIT-012", "basic/chain-of-five/sm_52/1", "12.4", "12.4"},
	{"KIT-010 KIT-011", "basic/chain-of-five/sm_90/1", "12.4", newer + " 12.4 12.5 12.8 12.9"},
	{"KIT-015", "relocatable/kinds/sm_80/1", "12.4", newer + " 12.4 12.5"},
	{"KIT-026", "callgraph/barriers/sm_80/1", "12.4", newer + " 12.4 12.5 12.8 12.9"},
	{"KIT-026", "callgraph/barriers/sm_70/1", "12.4", "12.4"},
	{"KIT-027", "options/verbose-surfaces/sm_80/1", "12.4", "13.0 13.5 12.4 12.5"},
	{"KIT-029", "weak/first-wins/sm_80/1", "12.4", newer + " 12.4 12.5 12.8 12.9"},
	{"KIT-196", "merge/prototypes-of-the-driver/sm_80/1", "11.8", "12.4 12.5 12.6 12.9 13.0 13.5"},
	{"KIT-031", "weak/fewer-registers-wins/sm_90/2", "12.4", newer + " 12.4 12.5 12.8 12.9"},
	{"KIT-030", "options/silent/sm_80/1", "12.4", newer + " 12.4 12.5"},
	{"KIT-028", "options/extended-shared/sm_80/1", "12.4", newer + " 12.4 12.5"},
	{"KIT-013", "images/of-11/sm_90/1", "11.8", "11.8 12.4 13.0"},
	{"KIT-070 KIT-071 KIT-012 KIT-180 KIT-181", "basic/chain-of-five/sm_52/1", "11.8", "11.8 12.0 12.1 12.2 12.3 12.4 12.5 12.6"},
	{"KIT-080 KIT-182", "images/lost-alias/sm_80/1", "11.8", "11.8 12.3 12.4"},
	{"KIT-183", "images/prints/sm_80/1", "11.8", "12.1 12.2 12.3 12.4"},
	{"KIT-010 KIT-012", "basic/chain-of-five/sm_80/1", "11.8", older + newer},
	{"KIT-070", "texture/surfaces/sm_52/1", "11.8", older},
	{"KIT-070", "shared/two-files/sm_80/1", "11.8", older + newer},
	{"KIT-072 KIT-073", "callgraph/dump-indirect/sm_80/1", "11.8", older + newer},
	{"KIT-074", "callgraph/dump-registers/sm_80/1", "11.8", older + newer},
	{"KIT-073 KIT-074", "callgraph/registers-through-pointer/sm_52/1", "11.8", older},
	{"KIT-172", "callgraph/kernel-taken-before-undefined/sm_90/1", "12.4", "12.4 13.0"},
	{"KIT-171", "callgraph/callgraph-dump-undefined/sm_80/1", "11.8", older + newer},
	{"KIT-171 INFO-042", "messages/registers-first/sm_80/1", "11.8", "11.8 12.4"},
	{"KIT-075", "options/preserve-relocs-extern/sm_80/1", "11.8", older + newer},
	{"KIT-076", "options/debug-without-debug/sm_80/1", "11.8", older + newer},
	{"KIT-077", "host/linked-modules/sm_80/1", "11.8", older + newer},
	{"INFO-880", "texture/whole-program-counted/sm_90/1", "", "12.4 12.5 13.0 13.5"},
	{"KIT-078", "options/allow-undefined/sm_80/1", "11.8", older + newer},
	{"KIT-079", "texture/descriptor-sizes/sm_80/1", "11.8", older + newer},
	{"KIT-079 KIT-211 KIT-212 KIT-213 KIT-214 KIT-012", "texture/queries/sm_80/1", "11.2", "11.2 11.8 12.4 13.0 13.5"},
	{"KIT-300", "fatbin/last-entry-empty/sm_80/3", "", "11.2 11.8 12.4 12.5 13.0 13.5"},
	{"KIT-212", "texture/queries/sm_35/1", "11.2", "11.2 11.8"},
	{"KIT-023", "host/constants/sm_52/4", "11.2", "11.2 11.8"},
	{"KIT-682", "options/kernels-used-shared-others/sm_52/1", "11.2", "11.2 11.8"},
	{"KIT-942", "reloc/later-types/sm_75/1", "11.2", "11.2 11.8 12.4"},
	{"KIT-942", "reloc/later-types/sm_75/2", "11.2", "11.2 11.8 12.4"},
	{"KIT-943", "messages/release-of-compiler/sm_50/1", "11.2", "11.2 11.8 12.4 12.5"},
	{"KIT-943", "messages/release-of-compiler/sm_50/2", "11.2", "11.2 11.8 12.4 12.5"},
	{"KIT-943", "messages/release-of-compiler/sm_50/3", "11.2", "11.2 11.8 12.4 12.5"},
	{"LOAD-991", "messages/architecture-of-one-digit/sm_80/1", "11.8", "11.8 12.4 12.5 13.0 13.5"},
	{"KIT-944", "messages/abi-version/sm_75/1", "11.2", "11.2 11.8 12.4 12.5 13.0"},
	{"KIT-683", "fatbin/architectures/sm_75/1", "11.2", "11.2 11.8 12.4 12.5 13.0 13.1 13.5"},
	{"KIT-683", "fatbin/architectures/sm_75/2", "11.2", "12.4 12.5 13.0 13.1 13.5"},
	{"KIT-683", "fatbin/architectures/sm_75/3", "11.2", "12.4 12.5 13.0 13.1 13.5"},
	{"KIT-686", "messages/short-file/sm_80/3", "11.2", "11.2 11.8 12.4 13.0"},
	{"KIT-543", "fatbin/letters/sm_80/1", "11.8", "11.8 12.4 12.5 13.0"},
	{"KIT-540", "fatbin/letters/sm_90/4", "11.8", "11.8 12.4 12.5"},
	{"KIT-540", "fatbin/letters/sm_80/2", "11.8", "11.8 12.4 12.5 13.0"},
	{"KIT-540", "fatbin/letters/sm_80/3", "11.8", "11.8 12.5 13.0 13.5"},
	{"KIT-543", "fatbin/letters/sm_80/4", "11.8", newer + " 12.4 12.5"},
	{"KIT-541 KIT-544", "fatbin/letters/sm_80/5", "11.8", newer + " 11.8 12.4 12.5"},
	{"KIT-541", "fatbin/letters/sm_90/1", "11.8", "11.8 12.4 12.5 13.0 13.5"},
	{"KIT-541 KIT-544", "fatbin/letters/sm_90/2", "11.8", newer + " 11.8 12.4 12.5"},
	{"KIT-541 KIT-544", "fatbin/letters/sm_90/3", "11.8", "11.8 12.4 12.5 13.0 13.5"},
	{"KIT-684", "host/without-sections/sm_80/1", "11.2", "11.2 11.8 12.4 13.0"},
	{"KIT-685", "fatbin/lto-objects/sm_52/1", "11.2", "11.2 11.8"},
	{"KIT-702", "host/missing-host-code/sm_90/1", "", newer},
	{"KIT-702", "host/missing-host-code/sm_90/2", "", newer},
	{"LOAD-993", "host/missing-host-code/sm_90/6", "", "11.8 12.4 12.5 13.0 13.5"},
	{"KIT-681", "host/patterns/sm_52/1", "11.2", "11.2 11.8"},
	{"KIT-080", "merge/alias-across-files-alone/sm_80/1", "11.8", older + newer},
	{"KIT-081", "merge/file-empty/sm_80/1", "11.8", older + newer},
	{"KIT-101", "messages/short-file/sm_80/2", "", "12.4 12.5 13.0 13.5"},
	{"KIT-620", "options/tool-name/sm_80/3", "", "11.2 11.8"},
	{"KIT-620", "options/unknown-architecture/sm_80/3", "", "11.2 11.8"},
	{"KIT-620", "options/odd-words/sm_80/7", "", "11.2 11.8"},
	{"KIT-620 KIT-621", "options/api-version/sm_80/5", "", "11.2 11.8"},
	{"KIT-219", "options/accepted-command-lines/sm_90/27", "", "11.8 12.4 13.0 13.5"},
	{"KIT-220", "options/refused-command-lines/sm_90/34", "", "11.8 12.4 13.0"},
	{"KIT-218", "options/conflicts/sm_80/4", "", "11.8 12.4 12.5 13.0 13.5"},
	{"KIT-218", "options/conflicts/sm_80/5", "", "11.8 12.4 12.5 13.0 13.5"},
	{"KIT-622", "options/lto-wants-a-library/sm_80/1", "", "11.2 11.8"},
	{"KIT-622", "messages/suffixes/sm_80/3", "", "11.2 11.8"},
	{"KIT-623", "messages/damaged-header/sm_80/1", "", "11.2 11.8 12.4"},
	{"KIT-623", "options/by-release/sm_80/9", "", "11.2 11.8 12.4"},
	{"KIT-624", "archive/tables/sm_80/8", "", "11.2 11.8"},
	{"KIT-625", "messages/text/sm_80/1", "11.2", "11.2 11.8"},
	{"KIT-626", "damaged/program-headers/sm_80/1", "", "11.2 11.8 12.4"},
	{"KIT-626", "damaged/program-headers/sm_80/2", "", "11.2 11.8 12.4"},
	{"KIT-627", "fatbin/architectures/sm_80/2", "", "11.2 11.8 12.4"},
	{"KIT-627", "fatbin/architectures/sm_80/3", "", "11.2 11.8 12.4"},
	{"KIT-084", "archive/behind-device-runtime/sm_80/3", "11.8", older + newer},
	{"KIT-085", "options/force-rela/sm_80/1", "11.8", older + newer},
	{"KIT-086", "archive/missing-library/sm_80/2", "11.8", older + newer},
	{"KIT-082", "texture/surfaces/sm_35/1", "11.8", "11.8"},
	{"KIT-006", "weak/first-wins/sm_70/2", "12.4", "12.4"},
	{"KIT-142 KIT-160 KIT-161 KIT-162 KIT-163 KIT-164 KIT-166 KIT-168 KIT-085 KIT-006", "images/of-two/sm_100/1", "12.8", "12.8 12.9 13.0"},
	{"KIT-170", "images/older-first/sm_120/1", "12.8", "12.8 12.9 13.0"},
	{"KIT-170", "images/older-first/sm_120/2", "12.8", "12.8 12.9 13.0"},
	{"KIT-163 KIT-006", "images/of-two/sm_101/1", "12.8", "12.8 12.9"},
	{"KIT-169", "images/renamed/sm_110/1", "12.9", "13.0 13.1 13.2 13.5"},
	{"KIT-200", "images/concatenated/sm_80/1", "13.5", "13.0 13.1 13.2 13.3 13.4 13.5"},
	{"KIT-200", "images/concatenated/sm_90/1", "13.5", "13.0 13.1 13.2 13.3 13.4 13.5"},
	{"KIT-200", "images/concatenated/sm_100/1", "13.5", "13.1 13.2 13.4 13.5"},
	{"KIT-200", "images/concatenated/sm_120/1", "13.5", "13.1 13.2 13.5"},
	{"LOAD-054", "images/renamed/sm_110/2", "12.9", "13.0 13.5"},
	{"KIT-165", "images/of-two/sm_100a/1", "12.9", "12.9 13.0"},
	{"KIT-164 KIT-168", "images/of-two/sm_120/1", "12.9", "12.9 13.0"},
	{"KIT-100", "verbose/force-rela/sm_100/1", "13.2", "13.2 13.3"},
	{"KIT-100", "verbose/kernels-used/sm_100/1", "13.2", "13.2 13.3 13.4"},
	{"KIT-148 OPT-059", "options/tools-patch/sm_90/1", "13.3", "13.3 13.4 13.5"},
	{"OPT-059", "options/tools-patch/sm_90/2", "13.3", "13.3 13.5"},
	{"OPT-059", "options/tools-patch/sm_90/3", "13.3", "13.3 13.5"},
	{"KIT-144 KIT-145", "schedules/jump-table/sm_110/1", "13.4", "13.4 13.5"},
	{"MERC-133 KIT-144", "schedules/surface/sm_110/1", "13.4", "13.4 13.5"},
	{"MERC-160 KIT-141 KIT-062", "schedules/fences/sm_110/1", "13.4", "13.4 13.5"},
	{"MERC-160 KIT-144", "schedules/fences/sm_120/1", "13.4", "13.4 13.5"},
	{"KIT-050", "constant/user-bank/sm_120/1", "", "13.0 13.3 13.4 13.5"},
	{"KIT-052", "mercury/replaced-line-changes/sm_100/1", "", newer},
	{"KIT-440 KIT-441", "mercury/replaced-registers/sm_120/1", "", newer},
	{"KIT-175", "damaged/fields-100/sm_100/7", "", "13.0 13.4 13.5"},
	{"KIT-262", "mercury/suffixes-120/sm_120a/1", "", "13.0 13.1 13.5"},
	{"KIT-095", "damaged/fields-100/sm_100/9", "", "13.0 13.1 13.5"},
	{"KIT-174", "mercury/later-versions/sm_100/1", "", newer},
	{"KIT-174", "mercury/later-versions/sm_100/2", "", newer},
	{"KIT-174", "mercury/later-versions/sm_100/3", "", newer},
	{"KIT-174", "mercury/later-versions/sm_100/4", "", newer},
	{"KIT-174", "mercury/later-versions/sm_100/5", "", newer},
	{"KIT-174", "mercury/later-versions/sm_100/6", "", newer},
	{"KIT-091", "mercury/later-versions/sm_100/7", "", newer},
	{"KIT-032", "mercury/later-versions/sm_100/8", "", newer},
	{"KIT-053", "weak/handle-parameters/sm_100/1", "", newer},
	{"KIT-021 KIT-020", "basic/one-kernel/sm_110/1", "", newer},
	{"KIT-057", "mercury/reserved-shared/sm_110/1", "", "13.0 13.4 13.5"},
	{"KIT-058", "mercury/long-records/sm_110/2", "", "13.0 13.4 13.5"},
	{"KIT-058", "shared/strong-after-weak/sm_100/3", "", "13.0 13.4 13.5"},
	{"KIT-051 KIT-058", "relocatable/extern-instances/sm_100/1", "", "13.0 13.4 13.5"},
	{"KIT-051", "mercury/replaced-frames/sm_100/3", "", "13.0 13.4 13.5"},
	{"KIT-059 KIT-051", "mercury/relinked-jump-tables/sm_100/1", "", "13.0 13.4 13.5"},
}

// newer lists the releases that can link objects of 13.0.
const newer = "13.0 13.1 13.2 13.3 13.4 13.5"

// older lists the releases before 13.0.
const older = "11.8 12.4 12.5 "

var updateToolkits = flag.Bool("update-toolkits", false, "record what each nvlink makes of the links of testdata/toolkits")

const toolkitData = "testdata/toolkits"

// culink links as each release does. The test compares exit status, messages and outputs with the recorded ones.
func TestToolkits(t *testing.T) {
	testToolkits(t, func(*arch.Profile) []string { return nil })
}

// The nvlink of each release that is installed still links as recorded. -update-toolkits records it.
func TestLiveToolkits(t *testing.T) {
	toolstest.Oracle(t)
	driver := sync.OnceValue(func() string { return buildDriver(t) })
	testToolkits(t, func(p *arch.Profile) []string {
		folder, err := toolstest.OracleOf(t, p)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			t.Error(err)
			return nil
		case p.Interpolated: // only the images of this release are known (KIT-083)
			return libraryIn(folder, p, driver)
		}
		return []string{filepath.Join(folder, "bin", "nvlink")}
	})
}

// testToolkits links as each release, and with the command that theirs returns for it, unless that is nil.
func testToolkits(t *testing.T, theirs func(*arch.Profile) []string) {
	recorded := recordedOutcomes(t)
	old, err := filepath.Abs(toolkitData)
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]string{}
	for _, l := range toolkitLinks {
		files := fs.FS(corpus.Files)
		if l.made != "" {
			files = os.DirFS(filepath.Join(old, l.made))
		}
		for _, version := range strings.Fields(l.releases) {
			p, err := arch.Find(version)
			if err != nil {
				t.Fatal(err)
			}
			key := fmt.Sprintf("%s %s", p.Version, l.link)
			if l.made != "" {
				key += " of " + l.made
			}
			if _, twice := asked[key]; twice {
				t.Errorf("toolkitLinks has %s twice", key)
				continue
			}
			asked[key] = recorded[key]
			t.Run(key, func(t *testing.T) {
				want, culink := recorded[key], culinkOf(t, version)
				if p.Interpolated {
					culink = imageOf(p)
				}
				if oracle := theirs(p); oracle != nil {
					live := toolkitOutcome(t, files, l.link, func(args []string, stdout, stderr *bytes.Buffer) int {
						command := exec.Command(oracle[0], slices.Concat(oracle[1:], args)...)
						command.Stdout, command.Stderr = stdout, stderr
						command.Run()
						return command.ProcessState.ExitCode()
					})
					if *updateToolkits {
						want = live
					}
					if live != want {
						t.Errorf("nvlink does not repeat itself: recorded %s, now %s", want, live)
					}
				}
				asked[key] = want
				got := toolkitOutcome(t, files, l.link, culink)
				if got != want {
					t.Errorf("%s:\nculink %s\nnvlink %s", l.rules, got, want)
				}
			})
		}
	}
	if *updateToolkits {
		var lines []string
		for key, outcome := range asked {
			if outcome == "" {
				continue
			}
			lines = append(lines, key+"\t"+outcome+"\n")
		}
		slices.Sort(lines)
		if err := os.WriteFile(toolkitData+"/outcomes.txt", []byte(strings.Join(lines, "")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// recordedOutcomes returns the lines of outcomes.txt by link. Each link has one.
func recordedOutcomes(t *testing.T) map[string]string {
	recorded := map[string]string{}
	data, err := os.ReadFile(toolkitData + "/outcomes.txt")
	if err != nil && !*updateToolkits {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		key, outcome, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if _, twice := recorded[key]; twice || !ok {
			t.Errorf("outcomes.txt: %q is no outcome of a link that has none yet", line)
		}
		recorded[key] = outcome
	}
	return recorded
}

// A toolkitLinker runs a link in the folder of the test and returns its exit status.
type toolkitLinker func(args []string, stdout, stderr *bytes.Buffer) int

// culinkOf returns culink in the role of a release's nvlink.
func culinkOf(t *testing.T, version string) toolkitLinker {
	return func(args []string, stdout, stderr *bytes.Buffer) int {
		return run(t.Context(), append([]string{"nvlink", "--toolkit", version}, args...), stdout, stderr)
	}
}

// imageOf returns culink in the role of a release's libnvJitLink, with the tool note of that library (JIT-070).
func imageOf(p *arch.Profile) toolkitLinker {
	return func(args []string, stdout, stderr *bytes.Buffer) int {
		settings, said := option.ParseFor(p, platform.Linux, args, option.ReadFile)
		if len(said) > 0 {
			fmt.Fprintln(stderr, said)
			return 1
		}
		var inputs []linker.Input
		for _, name := range settings.Inputs {
			data, err := os.ReadFile(name)
			if err != nil {
				fmt.Fprintln(stderr, err)
				return 1
			}
			inputs = append(inputs, linker.Input{Name: name, Data: data})
		}
		result := linker.Link(context.Background(), linker.Options{
			Toolkit: p.Version, Arch: settings.Arch, Object: "in-memory-ELF-image", ToolName: "nvJIT API",
			Build: "Build system must define TOOLS_VERSION_EXTENDED", Note: "JIT API Command Line Options",
		}, inputs)
		if result.Output == nil {
			fmt.Fprintln(stderr, result.Err())
			return 1
		}
		if err := os.WriteFile(settings.Output, result.Output, 0o666); err != nil {
			fmt.Fprintln(stderr, err)
			return 1
		}
		return 0
	}
}

// libraryIn returns a command that links with the libnvJitLink in a folder, through a driver. It returns nil if the library
// is not there.
func libraryIn(folder string, p *arch.Profile, driver func() string) []string {
	libraries, _ := filepath.Glob(filepath.Join(folder, "lib", "libnvJitLink.so.*"))
	if len(libraries) == 0 {
		return nil
	}
	return []string{driver(), libraries[0], "--toolkit=" + p.Version}
}

// buildDriver builds cmd/nvjitlink.
func buildDriver(t *testing.T) string {
	driver := filepath.Join(t.TempDir(), "nvjitlink")
	if said, err := exec.Command("go", "build", "-o", driver, "../../nvjitlink").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return driver
}

// culink treats an unknown build as the nearest known one, and prints an info message about that (KIT-207).
func TestNearestToolkit(t *testing.T) {
	for version, want := range map[string]string{"13.2.90": "13.2.86", "13.2.86": "", "13.2": "", "auto": ""} {
		var stdout, stderr bytes.Buffer
		run(t.Context(), []string{"nvlink", "--toolkit", version, "--version"}, &stdout, &stderr)
		info := "nvlink info    : Toolkit '" + version + "' is unknown; the nearest that culink knows, " + want + ", takes its place\n"
		if want == "" {
			info = ""
		}
		if stderr.String() != info || !strings.Contains(stdout.String(), want) {
			t.Errorf("%s: %q, %q, want %q", version, &stderr, &stdout, info)
		}
	}
}

// With --toolkit=auto, the newest input determines the release (KIT-007).
func TestAutoToolkit(t *testing.T) {
	old, err := filepath.Abs(toolkitData + "/12.4/basic/chain-of-five/sm_90/in/c1.cubin")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	data, err := fs.ReadFile(corpus.Files, "basic/one-kernel/sm_90/in/k.cubin")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("k.cubin", data, 0o666); err != nil {
		t.Fatal(err)
	}
	data, err = fs.ReadFile(corpus.Files, "mercury/objects-of-12/sm_100/in/a.cubin")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("a.cubin", data, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		target string
		inputs []string
		want   string
	}{
		{"sm_90", []string{old}, "release 12.4,"},
		{"sm_90", []string{"k.cubin"}, "release 13.0,"},
		{"sm_90", []string{old, "k.cubin"}, "release 13.0,"},
		{"sm_90", []string{"nothing.cubin"}, "V" + arch.Default.Version},
		{"sm_100", []string{"a.cubin"}, "release 12.8,"},
	} {
		var stdout, stderr bytes.Buffer
		run(t.Context(), append([]string{"nvlink", "--toolkit=auto", "--version", "-arch=" + tt.target}, tt.inputs...), &stdout, &stderr)
		if !strings.Contains(stdout.String(), tt.want) {
			t.Errorf("%v: %s%s, want %s", tt.inputs, &stdout, &stderr, tt.want)
		}
	}
}

// --explain reports the release that the inputs select, and the input that determined it. It does not if the command
// line names the release (KIT-009).
func TestExplainedToolkit(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"k", "f", "g"} {
		data, err := fs.ReadFile(corpus.Files, "merge/objects-of-three-releases/sm_80/in/"+name+".cubin")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name+".cubin", data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for toolkit, want := range map[string]string{"auto": "toolkit 13.0.88, by g.cubin\nk: kernel\n", "13.0": "k: kernel\n"} {
		var stdout, stderr bytes.Buffer
		run(t.Context(), []string{"nvlink", "--toolkit", toolkit, "-arch=sm_80", "--explain", "k", "k.cubin", "f.cubin", "g.cubin", "-o", "out.cubin"}, &stdout, &stderr)
		if !strings.HasPrefix(stdout.String(), want) {
			t.Errorf("%s: %s%s, want %s", toolkit, &stdout, &stderr, want)
		}
	}
}

// unasked lists the rows for which testdata/toolkits does not have a link on both sides, and says where each is tested
// instead. Most are tested in scenarios or in tests of their packages. Some are not tested, because their effect occurs
// only in links whose bytes differ for another reason.
var unasked = map[string]string{
	"KIT-028":  "TestMaxSharedByRelease",
	"KIT-035":  "TestInputsThatCulinkAloneReads",
	"KIT-054":  "links that have other bytes",
	"KIT-055":  "links that have other bytes",
	"KIT-542":  "linker/input.TestChooseLetters",
	"KIT-930":  "no compiler of 11.8 makes such a file; two were changed by hand, and asked (docs/rules.md)",
	"KIT-093":  "constants-not-packed.txtar",
	"KIT-094":  "languages-rise.txtar",
	"KIT-770":  "linker/edgname.TestDemangleByMembers",
	"JIT-042":  "linker/input.TestStaysAtHome",
	"JIT-115":  "linker/jitlink.TestMalformedByRelease",
	"KIT-096":  "a tool of 13.0 does not end by itself there",
	"KIT-125":  "TestInputsThatCulinkAloneReads",
	"KIT-126":  "TestInputsThatCulinkAloneReads",
	"KIT-127":  "TestInputsThatCulinkAloneReads",
	"KIT-128":  "TestInputsThatCulinkAloneReads",
	"KIT-129":  "notes-of-old-objects.txtar",
	"KIT-135":  "TestInputsThatCulinkAloneReads",
	"KIT-132":  "mercury-any-binding.txtar",
	"KIT-143":  "links that have other bytes",
	"KIT-167":  "TestMaxSharedByRelease",
	"KIT-176":  "TestWholeFrames",
	"KIT-178":  "TestIsTaken",
	"KIT-980":  "linker/mercury.TestFlushTensorMaps",
	"KIT-330":  "linker/mercury.TestReductionWaits",
	"KIT-202":  "TestLTOReplay",
	"KIT-490":  "TestReportSteps",
	"KIT-270":  "TestPlacesInCommonEntries",
	"KIT-271":  "tensor-memory-columns.txtar",
	"KIT-203":  "TestLTOReplay",
	"KIT-204":  "names-of-older-releases.txtar",
	"KIT-205":  "names-of-older-releases.txtar",
	"KIT-215":  "later-abi.txtar",
	"KIT-216":  "later-abi.txtar",
	"LOAD-967": "TestArgumentsOfCompiler",
}

// Each row of the table of differences has a link that two releases ran: the last one before the difference and the
// first one with it, or the last one with it and the first one after it (KIT-004). If nvlink of a release is not
// available, only images can be compared, so the next release may replace it (KIT-083).
func TestEveryDifferenceIsAskedOnBothSides(t *testing.T) {
	releases := arch.Releases()
	isAsked := func(rule string, left, right int) bool {
		return slices.ContainsFunc(toolkitLinks, func(l toolkitLink) bool {
			asked := strings.Fields(l.releases)
			return slices.Contains(strings.Fields(l.rules), rule) &&
				slices.Contains(asked, releases[left].Short()) && slices.Contains(asked, releases[right].Short())
		})
	}
	excused := map[string]bool{}
	for _, d := range arch.Differences {
		for right := 1; right < len(releases); right++ {
			if arch.Holds(releases[right-1].API, d.Since, d.Until) == arch.Holds(releases[right].API, d.Since, d.Until) {
				continue
			}
			asked := false
			for l := right - 1; l >= 0 && !asked; l-- {
				for r := right; r < len(releases) && !asked; r++ {
					asked = isAsked(d.Rule, l, r)
					if !releases[r].Interpolated {
						break
					}
				}
				if !releases[l].Interpolated {
					break
				}
			}
			switch {
			case asked:
			case unasked[d.Rule] != "":
				excused[d.Rule] = true
			default:
				t.Errorf("%s (%s): no link by %s and %s", d.Rule, d.Says, releases[right-1].Version, releases[right].Version)
			}
		}
	}
	for rule := range unasked {
		if !excused[rule] {
			t.Errorf("%s is asked on both sides", rule)
		}
	}
}

// toolkitOutcome returns the outcome of a step: exit status, then hashes of the printed text and of each output file.
func toolkitOutcome(t *testing.T, files fs.FS, link string, do toolkitLinker) string {
	t.Helper()
	t.Chdir(t.TempDir())
	dir, step := path.Split(link)
	before := map[string]bool{}
	folders := []string{dir + "in"}
	for n := 1; strconv.Itoa(n) != step; n++ {
		folders = append(folders, fmt.Sprintf("%s%d.out", dir, n))
	}
	for _, folder := range folders {
		copyTree(t, files, folder, before)
	}
	argv, err := fs.ReadFile(files, dir+step+".argv")
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	exit := do(strings.Split(strings.TrimSuffix(string(argv), "\n"), "\n"), &stdout, &stderr)
	outcome := fmt.Sprintf("%d stdout=%s stderr=%s", exit, shortSum(stdout.Bytes()), shortSum(stderr.Bytes()))
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() || before[e.Name()] {
			continue
		}
		data, err := os.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		outcome += fmt.Sprintf(" %s=%s", e.Name(), shortSum(data))
	}
	return outcome
}

// copyTree copies the files of a folder, if it exists, into the current folder, and records their names.
func copyTree(t *testing.T, files fs.FS, folder string, names map[string]bool) {
	t.Helper()
	in, err := fs.Sub(files, folder)
	if err != nil {
		t.Fatal(err)
	}
	err = fs.WalkDir(in, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		names[name] = true
		data, err := fs.ReadFile(in, name)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(path.Dir(name), 0o777); err != nil {
			return err
		}
		return os.WriteFile(name, data, 0o666)
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

func shortSum(data []byte) string {
	if len(data) == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))[:16]
}
