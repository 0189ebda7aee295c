// Command culink links CUDA device code in the place of NVIDIA's nvlink 13.0.88.
// What it does is in package command.
//
// No link lives so long that the number of processors is counted again.
//
//go:debug updatemaxprocs=0
package main

import "github.com/culink/culink/cmd/culink/command"

func main() { command.Main() }
