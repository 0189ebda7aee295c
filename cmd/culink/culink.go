// Command culink links CUDA device code as a replacement for NVIDIA's nvlink 13.0.88. Package command implements it.
//
// The setting below stops the Go runtime from checking the number of processors again, because a link is too short for
// that.
//
//go:debug updatemaxprocs=0
package main

import "github.com/culink/culink/cmd/culink/command"

func main() { command.Main() }
