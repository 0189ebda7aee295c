package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// linkLibraries links programs with the device libraries of the package index. Those that cannot be downloaded are named.
func (c *comparison) linkLibraries() error {
	for _, link := range []func() error{
		func() error { return c.linkNVSHMEM("13", "90", "100", "120") },
		func() error { return c.linkNVSHMEM("12", "90") }, // its machine code ends at sm_90
		c.linkNCCL,
		func() error { return c.linkHeaders(curand) },
		func() error { return c.linkHeaders(cufftdx) },
	} {
		err := link()
		var missing notDownloaded
		if errors.As(err, &missing) {
			fmt.Fprintf(c.stdout, "NOT RUN: %s cannot be downloaded\n", missing.wheel)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// notDownloaded is the error for a wheel that cannot be downloaded.
type notDownloaded struct {
	wheel string
	err   error
}

func (e notDownloaded) Error() string { return e.wheel + " cannot be downloaded: " + e.err.Error() }

// unpack downloads a Python wheel, such as nvidia-curand==10.4.5.25. It unpacks the named files, and the files of the
// named folders, and returns the folder that has them.
func (c *comparison) unpack(wheel string, names ...string) (folder string, err error) {
	folder = filepath.Join(c.folder, "wheels", wheel)
	if err := c.do("python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--dest", folder, wheel); err != nil {
		return "", notDownloaded{wheel, err}
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.whl"))
	if err != nil {
		return "", err
	}
	if len(files) != 1 {
		return "", fmt.Errorf("%s has %d wheels", folder, len(files))
	}
	archive, err := zip.OpenReader(files[0])
	if err != nil {
		return "", err
	}
	defer archive.Close()
	for _, name := range names {
		err := fs.WalkDir(archive, name, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			data, err := fs.ReadFile(archive, name)
			if err != nil {
				return err
			}
			file := filepath.Join(folder, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				return err
			}
			return os.WriteFile(file, data, 0o666)
		})
		if err != nil {
			return "", err
		}
	}
	return folder, os.Remove(files[0])
}

// compile compiles a source with the recorded release.
func (c *comparison) compile(options ...string) error {
	include := filepath.Join(c.oracle, "include")
	return c.do(filepath.Join(c.oracle, "bin", "nvcc"),
		append([]string{"-I" + include, "-I" + filepath.Join(include, "cccl"), "-rdc=true", "-std=c++17"}, options...)...)
}

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

// linkNVSHMEM links the program with the library for a major version of CUDA. For sm_100 and later only the recorded
// release is compared: from 13.1 on, nvlink's schedules of the library differ from culink's (E-422).
func (c *comparison) linkNVSHMEM(major string, targets ...string) error {
	const library = "nvidia/nvshmem/lib/libnvshmem_device.a"
	folder, err := c.unpack("nvidia-nvshmem-cu"+major+"==3.8.0", library)
	if err != nil {
		return err
	}
	if err := c.write(map[string]string{"program.cu": nvshmemProgram}); err != nil {
		return err
	}
	for _, sm := range targets {
		releases := linkers
		if sm != "90" {
			releases = []string{recorded}
		}
		if err := c.compile("-arch=sm_"+sm, "-cubin", "program.cu", "-o", "program.cubin"); err != nil {
			return err
		}
		if err := c.compare(releases, sm, "program.cubin", filepath.Join(folder, filepath.FromSlash(library))); err != nil {
			return err
		}
	}
	return nil
}
