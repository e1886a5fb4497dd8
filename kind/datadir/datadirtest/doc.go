// Package datadirtest makes nodes for the tests of the data directory kinds out
// of txtar files, which are their documentation at once: what is on the node,
// and what must become of each directory.
//
// The comment of an archive tells the story. Its first files are
//
//	-- node --    a line for each thing that is on the node; see build.go
//	-- want --    a line for each directory: verdict, name, what the reason says
//
// and all others, root/… and proc/…, are files of the host as they stand. In
// proc/PID/cmdline and environ each line ends in a NUL.
package datadirtest
