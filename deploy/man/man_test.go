package man

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var said = map[string]string{
	"--help": `tool is useful.

.dotted line, a \ and 'quotes'

Usage:
  tool [flags]
  tool [command]

Available Commands:
  scan        Show what is there
  help        Help about any command

Flags:
      --config FILE   configuration FILE (strict YAML)
  -h, --help          help for tool
  -v, --verbose       list every object

Use "tool [command] --help" for more information about a command.
`,
	"scan --help": "Scans.\n\nUsage:\n  tool scan [flags]\n\nFlags:\n      --max N   at most N objects\n\nGlobal Flags:\n      --config FILE   configuration FILE (strict YAML)\n",
	"help --help": "Helps.\n\nUsage:\n  tool help [command]\n",
}

func ask(args ...string) (string, error) {
	if text, ok := said[strings.Join(args, " ")]; ok {
		return text, nil
	}
	return "", errors.New("no such command")
}

func TestParse(t *testing.T) {
	want := help{
		text: "tool is useful.\n\n.dotted line, a \\ and 'quotes'", usage: "tool [command]",
		flags:    [][2]string{{"--config FILE", "configuration FILE (strict YAML)"}, {"-h, --help", "help for tool"}, {"-v, --verbose", "list every object"}},
		commands: [][2]string{{"scan", "Show what is there"}, {"help", "Help about any command"}},
	}
	if diff := cmp.Diff(want, parse(said["--help"]), cmp.AllowUnexported(help{})); diff != "" {
		t.Error(diff)
	}
}

func TestPage(t *testing.T) {
	page, err := Page("v1-2", ask)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`.TH HOSTGC 8 "" "hostgc v1\-2"`, "\n\\&.dotted line, a \\e and 'quotes'\n", ".SS scan\n.B tool scan [flags]\n", ".SS help\n",
		".TP\n.B \\-\\-max N\nat most N objects\n", ".SH GLOBAL FLAGS\n.TP\n.B \\-\\-config FILE\n", ".SH FILES\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if n := strings.Count(page, "config FILE\n"); n != 1 {
		t.Errorf("a global flag stands %d times", n)
	}
	if strings.Contains(page, `\-\-help`) {
		t.Error("each command has --help, and the page need not say so")
	}
}

func TestPageFailsWithTheProgram(t *testing.T) {
	if _, err := Page("v1", func(args ...string) (string, error) {
		if len(args) > 1 {
			return "", errors.New("no")
		}
		return ask(args...)
	}); err == nil || !strings.Contains(err.Error(), "help of hostgc scan") {
		t.Error(err)
	}
}
