// Command app is the only program in the bed's image. Without an argument it
// is a pause container; "http" makes it a server that tells its addresses;
// "ip" prints them.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	switch command := append(os.Args, "pause")[1]; command {
	case "pause":
		pause()
	case "http":
		go serve()
		pause()
	case "ip":
		fmt.Print(addresses())
	default:
		fmt.Fprintf(os.Stderr, "app: unknown command %q\n", command)
		os.Exit(2)
	}
}

// pause is PID 1 of a container: it reaps orphans and ends on SIGTERM.
func pause() {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGCHLD, syscall.SIGTERM, syscall.SIGINT)
	for s := range signals {
		if s != syscall.SIGCHLD {
			return
		}
		for {
			if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 && err != syscall.EINTR {
				break
			}
		}
	}
}

func serve() {
	err := http.ListenAndServe(":8080", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("asked for", r.URL.Path) // the pod's log
		fmt.Fprint(w, addresses())
	}))
	fmt.Fprintln(os.Stderr, "app:", err)
	os.Exit(1)
}

// addresses gives a line for each address: "eth0 10.42.0.5/24".
func addresses() string {
	var lines string
	interfaces, err := net.Interfaces()
	if err != nil {
		return err.Error() + "\n"
	}
	for _, i := range interfaces {
		addrs, err := i.Addrs()
		if err != nil {
			return err.Error() + "\n"
		}
		for _, a := range addrs {
			lines += fmt.Sprintln(i.Name, a)
		}
	}
	return lines
}
