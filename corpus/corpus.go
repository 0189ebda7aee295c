// Package corpus embeds the recorded cases, so that cuconform needs nothing but
// itself, and reads and writes the files in which recordings are stored.
//
// docs/corpus.md describes a recording as a folder, <area>/<case>/sm_80/, with the files 1.argv, 1.exit, in/...,
// 1.out/... and so on. It is stored as two files: sm_80.steps, a text with the command lines and what was printed
// ([Section]), and sm_80.tar.gz, an archive of in/ and the folders of outputs. [Plain] shows the folder again.
package corpus

import "embed"

//go:embed waivers.txt */*/case.txt */*/sm_*
var stored embed.FS

// Files holds waivers.txt and of each case what a run needs, without the sources that the recordings were made
// from: <area>/<case>/case.txt and, as plain folders, <area>/<case>/sm_*.
var Files = Plain(stored)
