// Command culink links CUDA device code as a replacement for NVIDIA's nvlink 13.0.88. Package command implements it.
//
// A link is too short for the runtime to check the number of processors again.
//
//go:debug updatemaxprocs=0
package main

import "github.com/culink/culink/cmd/culink/command"

func main() { command.Main() }
