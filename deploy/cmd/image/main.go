// Command image makes hostgc's container images from its static programs:
//
//	image --version v1.2.3 --out dist bin/hostgc-amd64 bin/hostgc-arm64
//
// It writes hostgc-<version>-<arch>.tar (docker-archive) for each program, and
// hostgc-<version>.oci.tar with all of them, and prints their digests.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/hostgc/hostgc/deploy/image"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

type options struct {
	repository, out, licence string
	release                  image.Release
}

func run() error {
	var o options
	var made int64
	flag.StringVar(&o.repository, "repository", "hostgc/hostgc", "`NAME` of the image, without a tag")
	flag.StringVar(&o.release.Version, "version", "development", "version, and tag of the image")
	flag.StringVar(&o.release.Commit, "commit", "", "Git commit of the release")
	flag.Int64Var(&made, "made", 0, "time of the commit, in `SECONDS` since 1970")
	flag.StringVar(&o.licence, "licence", "LICENSE", "licence `FILE`")
	flag.StringVar(&o.out, "out", "dist", "`DIR` to write to")
	flag.Parse()
	o.release.Made = time.Unix(made, 0)
	if flag.NArg() == 0 {
		return fmt.Errorf("no program given; see --help")
	}
	var err error
	if o.release.Licence, err = os.ReadFile(o.licence); err != nil {
		return fmt.Errorf("read the licence: %w", err)
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return fmt.Errorf("make the directory of images: %w", err)
	}
	return o.images(flag.Args())
}

func (o options) images(programs []string) error {
	var images []v1.Image
	ref := o.repository + ":" + o.release.Version
	for _, path := range programs {
		p, err := image.ReadProgram(path)
		if err != nil {
			return err
		}
		img, err := o.release.Build(p)
		if err != nil {
			return err
		}
		images = append(images, img)
		if err := o.write("hostgc-"+o.release.Version+"-"+p.Arch+".tar", img, func(w io.Writer) error {
			return image.WriteDocker(w, ref, img)
		}); err != nil {
			return err
		}
	}
	index, err := image.Index(images)
	if err != nil {
		return err
	}
	return o.write("hostgc-"+o.release.Version+".oci.tar", index, func(w io.Writer) error {
		return image.WriteOCI(w, ref, index)
	})
}

// write writes an archive and prints the digest of what is in it.
func (o options) write(name string, content interface{ Digest() (v1.Hash, error) }, write func(io.Writer) error) error {
	path := filepath.Join(o.out, name)
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("create the archive: %w", err)
	}
	if err := write(f); err != nil {
		_ = f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	digest, err := content.Digest()
	if err != nil {
		return fmt.Errorf("digest of %s: %w", path, err)
	}
	fmt.Println(digest, path)
	return nil
}
