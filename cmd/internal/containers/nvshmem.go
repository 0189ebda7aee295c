package main

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// nvshmemProgram is the source of a program that calls functions of NVSHMEM.
const nvshmemProgram = `enum threadgroup_t { one };
extern "C" __device__ void nvshmem_global_exit(int);
template <threadgroup_t> __device__ void nvshmemi_transfer_quiet(bool, int, int *, int);
template <threadgroup_t> __device__ void nvshmemi_transfer_fence(int, int *, int);
extern template __device__ void nvshmemi_transfer_quiet<one>(bool, int, int *, int);
extern template __device__ void nvshmemi_transfer_fence<one>(int, int *, int);
__global__ void program(int *p) {
  nvshmemi_transfer_quiet<one>(p[0], p[1], p + 2, p[2]);
  nvshmemi_transfer_fence<one>(p[3], p + 4, p[5]);
  if (p[6]) nvshmem_global_exit(p[7]);
}
`

// linkNVSHMEM links the program with the library for CUDA 12 and the one for CUDA 13. The library for CUDA 12 has
// machine code up to sm_90. For sm_100 and later only the recorded release is compared: from 13.1 on, nvlink's schedules
// differ from culink's (E-422).
func (c *comparison) linkNVSHMEM() error {
	for _, l := range []struct {
		major   string
		targets []string
	}{{"13", []string{"90", "100", "120"}}, {"12", []string{"90"}}} {
		library, err := c.download(l.major)
		if err != nil {
			fmt.Fprintf(c.stdout, "NOT RUN: nvidia-nvshmem-cu%s cannot be downloaded\n", l.major)
			continue
		}
		for _, sm := range l.targets {
			releases := linkers
			if sm != "90" {
				releases = []string{recorded}
			}
			if err := c.do(filepath.Join(c.oracle, "bin", "nvcc"), "-I"+filepath.Join(c.oracle, "include"), "-rdc=true", "-arch=sm_"+sm, "-cubin",
				"program.cu", "-o", "program.cubin"); err != nil {
				return err
			}
			if err := c.compare(releases, sm, "program.cubin", library); err != nil {
				return err
			}
		}
	}
	return nil
}

// download downloads the Python wheel of the device library for a major version of CUDA, and returns the path of the
// library.
func (c *comparison) download(major string) (library string, err error) {
	wheels := "wheels" + major
	if err := c.do("python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--dest", wheels,
		"nvidia-nvshmem-cu"+major+"==3.8.0"); err != nil {
		return "", err
	}
	names, err := filepath.Glob(filepath.Join(c.folder, wheels, "*.whl"))
	if err != nil {
		return "", err
	}
	if len(names) != 1 {
		return "", fmt.Errorf("%s has %d wheels", wheels, len(names))
	}
	wheel, err := zip.OpenReader(names[0])
	if err != nil {
		return "", err
	}
	defer wheel.Close()
	packed, err := wheel.Open("nvidia/nvshmem/lib/libnvshmem_device.a")
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(packed)
	if err != nil {
		return "", err
	}
	library = wheels + "/libnvshmem_device.a"
	return library, os.WriteFile(filepath.Join(c.folder, filepath.FromSlash(library)), data, 0o666)
}
