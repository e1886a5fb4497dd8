// Package report tells people and programs what was found and done: a table
// that fits a terminal, one JSON or YAML document, JSON lines, and for a single
// object the whole story of its verdict. Decisions are streamed; only counts
// are kept.
package report
