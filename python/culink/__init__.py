"""culink, an open linker for CUDA device code: the commands culink and cuconform, and the library libnvJitLink."""
