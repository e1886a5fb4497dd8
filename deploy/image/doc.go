// Package image makes hostgc's container images without a container engine:
// one static program, its licence and its bill of materials, on nothing.
//
// The same program always makes the same image: nothing in it comes from the
// machine that made it. All its time stamps are one, that of the release. So
// anybody can build a release again and compare digests.
package image
