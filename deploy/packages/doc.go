// Package packages holds the tests of the deb and the rpm: each is installed,
// used and removed in a copy of this machine that vanishes with the test. They
// need $DIST, in which `make packages` put them, root, dpkg and rpm.
package packages
