// Package man writes hostgc's manual page from what the program itself says when
// asked for help, so that the page cannot say anything else.
package man

import "strings"

// help is the help text of one command, taken apart.
type help struct {
	text     string // what stands before the usage
	usage    string
	flags    [][2]string
	commands [][2]string
}

// parse takes apart what cobra prints.
func parse(text string) help {
	var h help
	section := "text"
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		switch line {
		case "Usage:", "Available Commands:", "Flags:", "Global Flags:":
			section = line
			continue
		}
		switch {
		case section == "text":
			h.text += line + "\n"
		case !strings.HasPrefix(line, " "):
			continue // a blank line, or the hint at the end
		case section == "Usage:":
			h.usage = strings.TrimSpace(line) // the last is the most general
		case section == "Flags:":
			h.flags = append(h.flags, columns(line))
		case section == "Available Commands:":
			h.commands = append(h.commands, columns(line))
		}
	}
	h.text = strings.TrimSpace(h.text)
	return h
}

// columns splits a line of a table, whose columns are two spaces apart or more.
func columns(line string) [2]string {
	left, right, _ := strings.Cut(strings.TrimSpace(line), "  ")
	return [2]string{left, strings.TrimSpace(right)}
}
