//go:build !linux

package main

func limit() {} // the library is for Linux only
