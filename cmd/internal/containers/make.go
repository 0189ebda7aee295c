package main

import (
	"os"
	"path/filepath"
	"strings"
)

// The sources are a kernel and the function that it calls.
const (
	kernel = `extern __device__ int far(int);
__device__ int table[4] = {1, 2, 3, 4};
__global__ void k(int *p) { p[threadIdx.x] = far(p[0]) + table[threadIdx.x & 3]; }
`
	callee = `extern __device__ int table[4];
__device__ int far(int x) { return x * 3 + table[x & 3]; }
`
)

// stems lists the names of the sources without their extension.
var stems = []string{"k", "h"}

// A maker makes containers with the tools of one release.
type maker struct {
	*comparison
	toolkit string
}

func (m maker) nvcc(args ...string) error {
	return m.do(filepath.Join(m.toolkit, "bin", "nvcc"),
		append([]string{"-I" + filepath.Join(m.toolkit, "include"), "-I" + filepath.Join(m.oracle, "include"), "-rdc=true"}, args...)...)
}

// compileSources makes the images for the fat binaries, such as h.100f.cubin and h.90.ptx.
func (m maker) compileSources() error {
	for _, stem := range stems {
		for _, sm := range []string{"90", "100", "100f", "120"} {
			if err := m.nvcc("-arch=sm_"+sm, "-cubin", stem+".cu", "-o", stem+"."+sm+".cubin"); err != nil {
				return err
			}
		}
		if err := m.nvcc("-arch=compute_90", "-ptx", stem+".cu", "-o", stem+".90.ptx"); err != nil {
			return err
		}
	}
	return nil
}

// linkFatBinaries links fat binaries that are made with various options of fatbinary.
func (m maker) linkFatBinaries() error {
	for _, options := range []string{
		"", "-compress-mode=size", "-compress-all -compress-mode=speed", "-ident a.cu", "-g", "-cmdline -O1", "-concat",
		"-concat -ident some/file.cu", "-concat -compress-mode=size", "-concat -compress-mode=balance -g", "-concat -cmdline -O1",
	} {
		for _, images := range []string{"90 100 120", "100f 120", "ptx 100"} {
			for _, stem := range stems {
				args := append([]string{"-64"}, strings.Fields(options)...)
				args = append(args, "-create", stem+".fatbin")
				for _, image := range strings.Fields(images) {
					if image == "ptx" {
						args = append(args, "-image3=kind=ptx,sm=90,file="+stem+".90.ptx")
					} else {
						args = append(args, "-image3=kind=elf,sm="+image+",file="+stem+"."+image+".cubin")
					}
				}
				if err := m.do(filepath.Join(m.toolkit, "bin", "fatbinary"), args...); err != nil {
					return err
				}
			}
			for _, sm := range []string{"90", "100"} {
				if err := m.compare(linkers, sm, "k.fatbin", "h.fatbin"); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// linkObjects links objects and archives that are made with various options of nvcc.
func (m maker) linkObjects() error {
	for _, options := range []string{
		"", "-lineinfo", "-G", "--no-compress", "--compress-mode=size", "--concat", "--concat -lineinfo", "--concat -G", "--concat --compress-mode=size",
	} {
		for _, stem := range stems {
			args := append([]string{"-dc", "-gencode", "arch=compute_90,code=[sm_90,compute_90]", "-gencode", "arch=compute_100,code=sm_100"},
				strings.Fields(options)...)
			if err := m.nvcc(append(args, stem+".cu", "-o", stem+".o")...); err != nil {
				return err
			}
		}
		if err := os.RemoveAll(filepath.Join(m.folder, "libh.a")); err != nil {
			return err
		}
		if err := m.do("ar", "rcD", "libh.a", "h.o"); err != nil {
			return err
		}
		for _, sm := range []string{"90", "100"} {
			for _, link := range []string{"k.o h.o", "k.o libh.a", "-r k.o h.o"} {
				if err := m.compare(linkers, sm, strings.Fields(link)...); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
