package man

import (
	"fmt"
	"strings"
)

// Ask runs hostgc with arguments and gives what it prints.
type Ask func(args ...string) (string, error)

// files is what no help text says.
const files = `.SH FILES
.TP
.I /etc/hostgc/hostgc.yaml
The configuration of the packaged service.
.TP
.I /var/lib/hostgc/state.json
What the agent has to know after a restart: how far the ramp of its removals got.
.SH SEE ALSO
.BR crictl (1),
.BR systemctl (1)
`

// Page gives hostgc(8) in troff's man macros.
func Page(version string, ask Ask) (string, error) {
	text, err := ask("--help")
	if err != nil {
		return "", fmt.Errorf("help of hostgc: %w", err)
	}
	root := parse(text)
	var b strings.Builder
	fmt.Fprintf(&b, ".TH HOSTGC 8 \"\" \"hostgc %s\"\n.SH NAME\nhostgc \\- garbage collector for the host state of Kubernetes nodes\n", escape(version))
	b.WriteString(".SH SYNOPSIS\n.B hostgc\n.I command\n[flags]\n.SH DESCRIPTION\n" + literal(root.text))
	b.WriteString(".SH COMMANDS\n")
	for _, c := range root.commands {
		if err := command(&b, c[0], ask); err != nil {
			return "", err
		}
	}
	b.WriteString(".SH GLOBAL FLAGS\n")
	flags(&b, root.flags)
	return b.String() + files, nil
}

func command(b *strings.Builder, name string, ask Ask) error {
	text, err := ask(name, "--help")
	if err != nil {
		return fmt.Errorf("help of hostgc %s: %w", name, err)
	}
	h := parse(text)
	fmt.Fprintf(b, ".SS %s\n.B %s\n.PP\n%s", escape(name), escape(h.usage), literal(h.text))
	flags(b, h.flags)
	return nil
}

func flags(b *strings.Builder, all [][2]string) {
	for _, f := range all {
		if !strings.Contains(f[0], "--help") {
			fmt.Fprintf(b, ".TP\n.B %s\n%s\n", escape(f[0]), escape(f[1]))
		}
	}
}

// literal keeps the lines as they are: help texts have columns.
func literal(text string) string { return ".nf\n" + escape(text) + "\n.fi\n" }

// escape keeps troff from taking text for commands: a backslash, a dot or a
// quote that begins a line, and a hyphen that must be typed as one.
func escape(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			line = `\&` + line
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}
