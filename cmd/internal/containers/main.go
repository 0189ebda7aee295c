// Command containers links containers of device code with nvlink of four releases and with culink. It compares exit
// status, messages and outputs. NVIDIA's newest compilers make the containers: fat binaries with various options of
// fatbinary, and objects and archives with various options of nvcc. The command also links programs with the device
// libraries of the package index: libnvshmem_device.a for CUDA 12 and 13, NCCL's headers and LTO-IR, and the headers of
// cuRAND and cuFFTDx.
//
//	go run ./cmd/internal/containers
//
// CULINK_ORACLE names the tools of 13.0.88. The tools of 13.2.86, 13.4.92 and 13.5.37 are in folders beside it. The
// command needs a C compiler, and python3 with pip. A line NOT RUN names a library that cannot be downloaded. The exit
// status is 1 if a link differs.
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/culink/culink/cmd/internal/sidebyside"
	"github.com/culink/culink/conformance/tools"
	"github.com/culink/culink/linker/arch"
)

func main() {
	c := &comparison{stdout: os.Stdout, links: map[string]int{}, differing: map[string]int{}}
	if err := c.run(); err != nil {
		fmt.Fprintln(os.Stderr, "containers:", err)
		os.Exit(2)
	}
	differing := 0
	for _, release := range linkers {
		fmt.Printf("%s: %d links, %d differ\n", release, c.links[release], c.differing[release])
		differing += c.differing[release]
	}
	if differing > 0 {
		os.Exit(1)
	}
}

// Releases.
var (
	recorded = arch.Default.Version // the one of CULINK_ORACLE
	linkers  = []string{recorded, "13.2.86", "13.4.92", "13.5.37"}
	makers   = []string{"13.4.92", "13.5.37"} // their compilers make the containers
)

// A comparison runs all links in one folder.
type comparison struct {
	stdout           io.Writer
	folder           string         // folder of the links
	oracle           string         // the tools of the recorded release
	culink           string         // its program
	links, differing map[string]int // by release
}

func (c *comparison) run() (err error) {
	if c.oracle, err = tools.Oracle(); err != nil {
		return err
	}
	if c.folder, err = os.MkdirTemp("", "culink-containers-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.folder)
	c.culink = filepath.Join(c.folder, "bin", "nvlink")
	for program, source := range map[string]string{c.culink: "culink", filepath.Join(filepath.Dir(c.culink), "culink-lto"): "culink-lto"} {
		if said, err := exec.Command("go", "build", "-o", program, "github.com/culink/culink/cmd/"+source).CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, said)
		}
	}
	if err := c.write(map[string]string{"k.cu": kernel, "h.cu": callee}); err != nil {
		return err
	}
	for _, release := range makers {
		folder, err := c.tools(release)
		if err != nil {
			return err
		}
		m := maker{c, folder}
		if err := m.compileSources(); err != nil {
			return err
		}
		if err := m.linkFatBinaries(); err != nil {
			return err
		}
		if err := m.linkObjects(); err != nil {
			return err
		}
	}
	return c.linkLibraries()
}

func (c *comparison) write(files map[string]string) error {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(c.folder, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// tools returns the folder of a release's tools.
func (c *comparison) tools(release string) (string, error) {
	p, err := arch.Find(release)
	if err != nil {
		return "", err
	}
	return tools.Beside(c.oracle, p)
}

// do runs a program in the folder of the links.
func (c *comparison) do(program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.Dir = c.folder
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, said)
	}
	return nil
}

// output is the name of the output of every link.
const output = "out.cubin"

// compare runs a link for one target with both linkers of each release.
func (c *comparison) compare(releases []string, sm string, args ...string) error {
	args = append([]string{"-arch=sm_" + sm}, append(args, "-o", output)...)
	for _, release := range releases {
		folder, err := c.tools(release)
		if err != nil {
			return err
		}
		bin := filepath.Join(folder, "bin")
		theirs, err := c.link(filepath.Join(bin, "nvlink"), nil, args)
		if err != nil {
			return err
		}
		ours, err := c.link(c.culink, []string{"CULINK_PTXAS=" + filepath.Join(bin, "ptxas")}, append([]string{"--toolkit", release}, args...))
		if err != nil {
			return err
		}
		c.links[release]++
		if all := sidebyside.Differences(theirs, ours, []string{output}); len(all) > 0 {
			c.differing[release]++
			fmt.Fprintf(c.stdout, "DIFFERS: %s nvlink %s: %s\n", release, strings.Join(args, " "), strings.Join(all, ", "))
		}
	}
	return nil
}

// link runs one linker, after it has removed the output of an earlier link.
func (c *comparison) link(program string, env, args []string) (sidebyside.Outcome, error) {
	if err := os.RemoveAll(filepath.Join(c.folder, output)); err != nil {
		return sidebyside.Outcome{}, err
	}
	return sidebyside.Link(program, c.folder, env, args, map[string]string{output: output})
}
