// Package corpus embeds the recorded cases, so that cuconform needs no other files. It also reads and writes the files
// in which recordings are stored.
//
// docs/corpus.md describes a recording as a folder, <area>/<case>/sm_80/, with the files 1.argv, 1.exit, in/...,
// 1.out/... and so on. It is stored as two files. sm_80.steps is a text with the command lines and the printed text
// ([Section]). sm_80.tar.gz is an archive of in/ and the folders of outputs. [Plain] shows the stored files as that
// folder.
package corpus

import "embed"

//go:embed waivers.txt */*/case.txt */*/sm_*
var stored embed.FS

// Files holds the files that a run needs: waivers.txt and, for each case, <area>/<case>/case.txt and the plain folders
// <area>/<case>/sm_*. It does not have the sources of the recordings.
var Files = Plain(stored)
