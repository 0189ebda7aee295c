package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/conformance/tools/toolstest"
	"github.com/culink/culink/linker/option"
)

// steps lists all steps in the order in which they run.
var steps = []step{
	{"test", 4, false, false, "go test ./... without an oracle, as after a clone",
		lines(withoutOracle + " go test ./...")},
	{"corpus", 2, false, false, "the main job: every recorded case, linked by culink",
		lines("go run ./cmd/cuconform run -waivers culink")},
	{"wheel", 2, false, false, "the Python wheel is built and installed, and its commands run", lines(withoutOracle + " CULINK_WHEEL=1 go test ./python")},
	{"gofmt", 1, false, false, "every file is formatted", formatted},
	{"vet", 2, false, false, "go vet ./..., and of the files for Windows, whose tests run by night", lines("go vet ./...", "GOOS=windows go vet ./...")},
	{"staticcheck", 2, false, false, "go tool staticcheck ./...", lines("go tool staticcheck ./...")},
	{"commits", 1, false, false, "each new commit has a subject of at most 72 characters, and a body", commits},
	{"fuzz", 3, false, false, "each fuzz target for a few seconds (FUZZTIME)",
		lines(withoutOracle + " go run ./fuzz/campaign -slice " + setting("FUZZTIME", "3s"))},
	{"mutants", 2, false, false, "a sample of broken linkers on the corpus: shown, never a failure", mutants},
	{"live-test", 6, true, false, "the tests that use NVIDIA's tools", liveTests},
	{"recordings", 4, true, false, "a sixth of the recordings, or the part RECORDINGS, repeats", repeatRecordings},
	{"newest", 2, true, false, "programs of units of two releases, linked by culink and nvlink 13.5", linkNewest},
	{"dropin", 3, true, false, "nvcc and CMake with culink as their nvlink", lines("go run ./cmd/internal/dropin")},
	{"hunt", 2, true, false, "random programs, linked by both (HUNT of them)", hunt},
	// Compiled files are stored in the user's cache under names that depend on their contents. The step live-test uses other
	// targets.
	{"programs", 3, true, false, "twenty programs of ours in the style of real ones, linked by both in six ways",
		lines("go run ./cmd/cuconform hunt -programs conformance/hunt/programs -sm " + setting("PROGRAMS", "80,100a") + " -shrink=false -detail")},
	{"platforms-part", 2, true, false, "a few of the cases of the step platforms, if both nvlinks are installed",
		platforms("windows/dump-registers", "arm/search", "host/module-ids", 1, 4)},
	{"race", 3, false, false, "CPU time and memory of generated links beside the commit before (RACE), and nvlink: shown, never a failure", race},
	{"all-recordings", 20, true, true, "every recording repeats", lines("go run ./cmd/cuconform record -check")},
	{"rearranged", 8, true, true, "what nvlink makes of every link of the corpus, rearranged, is sound",
		lines("CULINK_ALL_REARRANGED=1 go test ./conformance/sound -run TestLiveRearranged")},
	{"samples", 40, false, true, "the tests that usually try a sample try all, and the test that builds culink several times runs",
		lines("CULINK_ALL_MEMORY=1 go test ./cmd/cuconform -run TestMemoryOfReaders",
			"CULINK_ALL_DAMAGE=1 go test ./fuzz -run TestDamagedLinks -timeout 40m",
			"CULINK_ALL_LOSSLESS=1 go test ./linker/cubintext -run TestLosslessCorpus",
			"CULINK_ALL_RELEASES=1 go test ./conformance -run TestReferencePassesOtherReleases",
			"CULINK_ALL_SPOILS=1 go test ./conformance -run 'TestEveryCaseFailsASpoil|TestSpoiledLinkersAreNoticed'",
			"CULINK_JUDGE_MUTANTS=1 go test ./fuzz/mutants -run TestJudge")},
	{"toolkits", 30, true, true, "the same with all releases; each repeats what the corpus has of it; what culink differs in: shown, never a failure", linkToolkits},
	{"harmless", 20, true, true, "nvlink of two releases, and libnvJitLink, end every stored link by themselves", harmless},
	{"builds", 6, false, true, "releases are the same bytes from two folders", lines(".ci/two-builds.sh")},
	{"book", 8, false, true, "the book is built, and its links and anchors lead somewhere", book},
	{"platforms", 20, true, true, "culink for Windows below Wine, culink for 64-bit Arm in an emulator, the recordings of nvlink.exe, and random programs", platforms("windows/*", "arm/*", "*/*", 4, 60)},
	{"tests-windows", 60, true, true, "go test ./... for Windows below Wine, but for the tests in emulators.tsv", emulatorTests(wine)},
	{"tests-arm64", 60, true, true, "go test ./... for 64-bit Arm in an emulator, but for the tests in emulators.tsv", emulatorTests(qemu)},
	{"dll", 10, true, true, "the same calls on libnvJitLink as a DLL and on NVIDIA's, below Wine", compareDLLs},
	{"clients", 8, true, true, "programs that link with libnvJitLink, the oldest and the newest, with ours and NVIDIA's", clients},
	{"explore", 20, true, true, "the search for links on which culink and nvlink of two releases differ goes on (docs/explore.md): what is new is shown, never a failure", explore},
	{"features", 60, true, true, "units of PTX by every release, and every option of ptxas of two releases, linked by both", features},
	{"containers", 10, true, true, "containers of nvcc and fatbinary, and device libraries of the package index, linked by four releases", containers},
	{"compilers", 40, true, true, "units of ours by every compiler of device code that needs no GPU, mixed and linked by two releases", mixCompilers},
}

// setting returns the value of an environment variable, or a default.
func setting(name, otherwise string) string { return cmp.Or(os.Getenv(name), otherwise) }

func formatted(r *runner) error {
	sources, err := r.output("git", "ls-files", "-z", "*.go")
	if err != nil {
		return err
	}
	files, err := r.output(slices.Concat([]string{"gofmt", "-l"}, strings.Split(strings.TrimSuffix(sources, "\x00"), "\x00"))...)
	if err == nil && files != "" {
		err = fmt.Errorf("not gofmt-ed:\n%s", files)
	}
	return err
}

// commits checks the messages of the commits since the hook was added.
func commits(r *runner) error {
	const hook = ".ci/hooks/commit-msg"
	since, err := r.output("git", "log", "-1", "--diff-filter=A", "--format=%H", "--", hook)
	if err != nil {
		return err
	}
	added, err := r.output("git", "rev-list", "--no-merges", strings.TrimSpace(since)+"..HEAD")
	if err != nil {
		return err
	}
	return inFolder(func(folder string) error {
		file := filepath.Join(folder, "message")
		for _, commit := range strings.Fields(added) {
			message, err := r.output("git", "log", "-1", "--format=%B", commit)
			if err != nil {
				return err
			}
			if err := os.WriteFile(file, []byte(message), 0o666); err != nil {
				return err
			}
			if err := r.do(hook, file); err != nil {
				return err
			}
		}
		return nil
	})
}

// mutants runs a sample of mutants. The commit determines the sample: a repeated run has the same one, and the next
// commit has another.
func mutants(r *runner) error {
	head, err := r.output("git", "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	r.shown(r.do(withoutOracle, "go", "run", "./fuzz/mutants", "-n", "5", "-seed", strings.TrimSpace(head), "-for", "90s", "-tests=false"),
		"the sample was not run")
	return nil
}

// later lists the releases after the recorded one, for the steps toolkits and features.
var later = []string{"13.1.115", "13.2.86", "13.3.73", "13.4.92", newest}

// liveTests runs the tests whose names say that they use NVIDIA's tools. The step test has run all others.
func liveTests(r *runner) error {
	if err := r.install(newest); err != nil {
		return err
	}
	files, err := r.output("git", "grep", "-l", "-E", "^func Test[A-Za-z]*"+toolstest.Live, "--", "*_test.go")
	if err != nil {
		return err
	}
	var packages []string
	for _, file := range strings.Fields(files) {
		packages = append(packages, "./"+path.Dir(file))
	}
	return r.do(slices.Concat([]string{"go", "test", "-run", toolstest.Live}, slices.Compact(packages))...)
}

// repeatRecordings checks a sixth of the recordings. The date determines which.
func repeatRecordings(r *runner) error {
	return r.do("go", "run", "./cmd/cuconform", "record", "-check", "-shard", setting("RECORDINGS", r.part(6)))
}

// part returns a part of n for the options -shard, which is another one the next day.
func (r *runner) part(n int) string { return fmt.Sprintf("%d/%d", r.day%n+1, n) }

func linkNewest(r *runner) error {
	if err := r.install(newest); err != nil {
		return err
	}
	return lines("go run ./cmd/cuconform hunt -toolkit " + newest + " -mix " + recorded + "," + newest + " -sm 80,90 -n 20 -seed 7")(r)
}

func linkToolkits(r *runner) error {
	if err := r.install(later...); err != nil {
		return err
	}
	if err := lines("go test ./cmd/culink/command -run TestLiveToolkits")(r); err != nil {
		return err
	}
	for _, release := range later {
		if err := lines("go run ./cmd/cuconform record -check -toolkit " + release)(r); err != nil {
			return err
		}
		cmd := r.command("go", "run", "./cmd/cuconform", "run", "-toolkit", release, "-waivers", "culink")
		var report strings.Builder
		cmd.Stdout, cmd.Stderr = &report, nil
		_ = cmd.Run() // the status counts differences
		if at := strings.Index("\n"+report.String(), "\narea"); at >= 0 {
			fmt.Fprint(r.stdout, report.String()[at:])
		}
		if err := lines("go run ./cmd/cuconform hunt -toolkit " + release + " -mix " + recorded + "," + release + " -sm 80,90 -n 20 -seed 7")(r); err != nil {
			return err
		}
	}
	return nil
}

// hunt links random programs. The plain links are the same each time. The links with random options and several -r are
// new each time.
func hunt(r *runner) error {
	n, err := strconv.Atoi(setting("HUNT", "50"))
	if err != nil {
		return fmt.Errorf("HUNT: %w", err)
	}
	return lines(
		fmt.Sprintf("go run ./cmd/cuconform hunt -n %d -seed 5 -options none -chains 0", n),
		fmt.Sprintf("go run ./cmd/cuconform hunt -n %d", n/2))(r)
}

// book builds the book and checks its links.
func book(r *runner) error {
	return inFolder(func(site string) error { return r.do("docs/book/build.sh", site) })
}

func clients(r *runner) error {
	if err := r.install(newest); err != nil {
		return err
	}
	return r.noting("go", "run", "./cmd/internal/clients")
}

func containers(r *runner) error {
	if err := r.install("13.2.86", "13.4.92", newest); err != nil {
		return err
	}
	return r.noting("go", "run", "./cmd/internal/containers")
}

// mixCompilers installs the compilers that make device code without a GPU, and links units of them with each other. A
// compiler that cannot be installed is named in the summary. The links are new each day.
func mixCompilers(r *runner) error {
	if err := r.install("13.2.86", "13.4.92", newest); err != nil {
		return err
	}
	return inFolder(func(folder string) error {
		failure := r.noting("go", "run", "./cmd/internal/compilers", folder)
		for _, release := range []string{recorded, newest} {
			mix := recorded
			if release == newest {
				mix = strings.Join([]string{recorded, "13.2.86", "13.4.92", newest}, ",")
			}
			failure = cmp.Or(failure, r.do("go", "run", "./cmd/cuconform", "hunt", "-compilers", folder, "-toolkit", release, "-mix", mix,
				"-sm", "80,90a,100a,120a", "-n", "100000", "-for", "8m", "-seed", strconv.Itoa(r.day), "-shrink=false", "-detail"))
		}
		return failure
	})
}

// harmless links every stored input with nvlink of two releases and with the driver of libnvJitLink. None may crash.
func harmless(r *runner) error {
	if err := r.install(newest); err != nil {
		return err
	}
	return inFolder(func(folder string) error {
		driver := filepath.Join(folder, "nvjitlink")
		if err := r.do("go", "build", "-o", driver, "./cmd/nvjitlink"); err != nil {
			return err
		}
		for _, tool := range []string{
			filepath.Join(r.oracle, "bin", "nvlink"), filepath.Join(r.folderOf(newest), "bin", "nvlink"),
			driver + " " + filepath.Join(r.oracle, "lib", "libnvJitLink.so.13"),
		} {
			if err := r.do("CULINK_HARMLESS="+tool, "go", "test", "-count=1", "./conformance", "./testscripts", "./linker/input", "./fuzz",
				"-run", "^Test(ToolEndsEveryLink|.*EndNoTool|DamageEndsNoTool)$"); err != nil {
				return err
			}
		}
		return lines("CULINK_HARMLESS=library go test -count=1 ./conformance/library -run ^TestLiveLibraryAnswersAsRecorded$")(r)
	})
}

// explore searches for new differences. It uses the coverage of culink, so it builds a program with coverage counters.
func explore(r *runner) error {
	if err := r.install(newest); err != nil {
		return err
	}
	return inFolder(func(folder string) error {
		program := filepath.Join(folder, "cuconform")
		if err := lines(
			"go build -cover -covermode=atomic -coverpkg=./linker/...,./cmd/culink/...,./cmd/cuconform -o "+program+" ./cmd/cuconform",
			"CULINK_COUNTED="+program+" go test -count=1 ./conformance/explore",
		)(r); err != nil {
			return err
		}
		for _, release := range []string{recorded, newest} {
			r.shown(r.do("TMPDIR=/dev/shm", program, "explore", "-toolkit", release, "-for", "8m"), "there are new differences by "+release)
		}
		return nil
	})
}

// features runs every hunt, even after one that found a difference, and returns the first failure.
func features(r *runner) (failure error) {
	if err := r.install(later...); err != nil {
		return err
	}
	keep := func(err error) { failure = cmp.Or(failure, err) }
	for _, release := range append([]string{recorded}, later...) {
		keep(lines("go run ./cmd/cuconform hunt -features -toolkit " + release + " -sm 80,90a,100a,120a -detail")(r))
	}
	for _, release := range []string{recorded, newest} {
		keep(lines("go run ./cmd/cuconform hunt -options-of ptxas -toolkit " + release + " -mix " + recorded + "," + release + " -sm 90,100,120 -detail")(r))
	}
	return failure
}

// compareDLLs also builds the Python wheel with the DLLs. It needs nvlink.exe, in a folder beside that of CULINK_ORACLE, and
// the MinGW compiler.
func compareDLLs(r *runner) error {
	oracle := r.folderOf("windows-" + recorded)
	_, missing := os.Stat(filepath.Join(oracle, "wine-run"))
	if _, err := exec.LookPath("x86_64-w64-mingw32-gcc"); cmp.Or(missing, err) != nil {
		r.note("%s: NOT RUN: %v", r.current, cmp.Or(missing, err))
		return nil
	}
	if err := r.do("linker/jitlink/libnvjitlink/compare-windows.sh", oracle); err != nil {
		return err
	}
	return lines(withoutOracle + " CULINK_WHEEL=windows go test ./python -run TestWindowsWheel")(r)
}

// platforms returns a step for Windows and 64-bit Arm. It repeats recordings of the nvlinks for these, and links the cases
// with culink built for these systems. The one for Arm also links other cases, of which each day has one of several parts,
// because the emulator takes 40 times as long as the processor. The tools for these systems are in folders beside that of
// CULINK_ORACLE. Each folder has a script that runs a program for its system. Then both link random programs, n for each of
// two targets, which are new every day. Parameters above 4 KiB on sm_100 are a fault of nvlink.exe (E-860), so the targets
// are older.
func platforms(windowsCases, armCases, otherCases string, parts, n int) func(*runner) error {
	return func(r *runner) error {
		wine, emulator := filepath.Join(r.folderOf("windows-"+recorded), "wine-run"), filepath.Join(r.folderOf("arm64-"+recorded), "run")
		for _, script := range []string{wine, emulator} {
			if _, err := os.Stat(script); err != nil {
				r.note("%s: NOT RUN, because there is no %s", r.current, script)
				return nil
			}
		}
		return inFolder(func(folder string) error {
			forWindows, forArm := filepath.Join(folder, "nvlink.exe"), filepath.Join(folder, "nvlink")
			defer r.keepWine(wine)() // a link that starts while the server ends fails, or hangs
			err := lines(
				"GOOS=windows GOARCH=amd64 go build -o "+forWindows+" ./cmd/culink",
				"GOOS=linux GOARCH=arm64 go build -o "+forArm+" ./cmd/culink",
				"go run ./cmd/cuconform record -check -platform windows -run "+windowsCases,
				"go run ./cmd/cuconform record -check -platform linux-arm64 -run "+armCases)(r)
			if err != nil {
				return err
			}
			if err := shadowInWine(r, wine, forWindows, filepath.Join(folder, "shadow")); err != nil {
				return err
			}
			const run = "go run ./cmd/cuconform run -trust -linker"
			hunt := fmt.Sprintf("go run ./cmd/cuconform hunt -trust -jobs 1 -sm 80,90 -detail -n %d -seed %d -hosts", n, r.day)
			// Wine leaves files in TMPDIR, and links that start at the same moment sometimes hang. So TMPDIR is unset, and
			// only one link runs at a time.
			throughWine := "env -u TMPDIR " + wine + " " + forWindows
			words := append(strings.Fields(run), throughWine, "-j", "1", "-platform", "windows", "-run", windowsCases)
			if err := r.do(words...); err != nil {
				return err
			}
			if err := r.do(append(strings.Fields(hunt), "windows", "-linker", throughWine)...); err != nil {
				return err
			}
			if err := r.do(append(strings.Fields(hunt), "aarch64", "-linker", emulator+" "+forArm)...); err != nil {
				return err
			}
			if err := r.do(append(strings.Fields(run), emulator+" "+forArm, "-platform", "linux-arm64", "-run", armCases)...); err != nil {
				return err
			}
			words = append([]string{option.PlatformVariable + "=linux"}, strings.Fields(run)...)
			return r.do(append(words, emulator+" "+forArm, "-sm", "80,100", "-run", otherCases, "-shard", r.part(parts), "-waivers", "culink")...)
		})
	}
}

// shadowInWine makes a shadow of NVIDIA's toolkit for Windows. Its nvcc.exe starts, and its nvlink.exe is culink. nvcc.exe
// gets no further in Wine: it rejects every host compiler.
func shadowInWine(r *runner, wine, culink, shadow string) error {
	if err := r.do(wine, culink, "--make-shadow", shadow, "--cuda-path", filepath.Dir(wine)); err != nil {
		return err
	}
	for program, answer := range map[string]string{"nvcc.exe": "Cuda compiler driver", "nvlink.exe": "in the place of nvlink " + recorded} {
		said, err := r.output(wine, filepath.Join(shadow, "bin", program), "--version")
		if err == nil && !strings.Contains(said, answer) {
			err = fmt.Errorf("%s of the shadow answers %q", program, said)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
