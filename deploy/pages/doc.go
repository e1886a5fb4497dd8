// Package pages writes the parts of the documentation that the program knows
// best: the keys of the configuration, and the causes of leaks. Its tests hold
// the pages against the program, and their links against each other.
package pages
