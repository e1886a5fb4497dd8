package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"google.golang.org/grpc"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// criSocket is where hostgc finds the runtime, below the node's root.
const criSocket = "run/containerd/containerd.sock"

// pod is one that runs, as the servers know it.
type pod struct{ ID, Name, UID string }

// requests counts what was asked, by name.
type requests struct {
	mu sync.Mutex
	n  map[string]int
}

func (r *requests) count(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n[what]++
}

// serve is a process of its own: the runtime and the API server of a node. It
// says where the API server listens, serves until its input ends, and says
// then how often it was asked for what.
func serve(root, podsFile string, in io.Reader, out io.Writer) error {
	b, err := os.ReadFile(podsFile)
	if err != nil {
		return err
	}
	var pods []pod
	if err := json.Unmarshal(b, &pods); err != nil {
		return fmt.Errorf("%s: %w", podsFile, err)
	}
	asked := &requests{n: map[string]int{}}
	if err := serveCRI(filepath.Join(root, criSocket), pods, asked); err != nil {
		return err
	}
	api, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go http.Serve(api, apiServer(pods, asked)) //nolint:errcheck // until the process ends
	if _, err := fmt.Fprintln(out, api.Addr()); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, in); err != nil {
		return err
	}
	asked.mu.Lock()
	defer asked.mu.Unlock()
	return json.NewEncoder(out).Encode(asked.n)
}

// serveCRI listens by the name alone: a socket's path is at most 107 bytes.
func serveCRI(socket string, pods []pod, asked *requests) error {
	if err := os.Chdir(filepath.Dir(socket)); err != nil {
		return err
	}
	_ = os.Remove(filepath.Base(socket)) // of the run before
	l, err := net.Listen("unix", filepath.Base(socket))
	if err != nil {
		return err
	}
	s := grpc.NewServer()
	runtimeapi.RegisterRuntimeServiceServer(s, &containerd{pods: pods, asked: asked})
	go s.Serve(l) //nolint:errcheck // until the process ends
	return nil
}

// containerd is a runtime that lists what runs.
type containerd struct {
	runtimeapi.UnimplementedRuntimeServiceServer
	pods  []pod
	asked *requests
}

func (c *containerd) Version(context.Context, *runtimeapi.VersionRequest) (*runtimeapi.VersionResponse, error) {
	c.asked.count("cri Version")
	return &runtimeapi.VersionResponse{RuntimeName: "containerd", RuntimeVersion: "v2.4.2"}, nil
}

func (c *containerd) ListPodSandbox(context.Context, *runtimeapi.ListPodSandboxRequest) (*runtimeapi.ListPodSandboxResponse, error) {
	c.asked.count("cri ListPodSandbox")
	resp := &runtimeapi.ListPodSandboxResponse{}
	for _, p := range c.pods {
		resp.Items = append(resp.Items, &runtimeapi.PodSandbox{Id: p.ID,
			Metadata: &runtimeapi.PodSandboxMetadata{Name: p.Name, Namespace: "default", Uid: p.UID}})
	}
	return resp, nil
}

func (c *containerd) ListContainers(context.Context, *runtimeapi.ListContainersRequest) (*runtimeapi.ListContainersResponse, error) {
	c.asked.count("cri ListContainers")
	resp := &runtimeapi.ListContainersResponse{}
	for _, p := range c.pods {
		resp.Containers = append(resp.Containers, &runtimeapi.Container{Id: "c" + p.ID[1:], PodSandboxId: p.ID,
			State: runtimeapi.ContainerState_CONTAINER_RUNNING, Metadata: &runtimeapi.ContainerMetadata{Name: "app"}})
	}
	return resp, nil
}

// apiServer lists the pods that run, and knows no single other one.
func apiServer(pods []pod, asked *requests) http.Handler {
	list := metav1.PartialObjectMetadataList{
		TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"},
		ListMeta: metav1.ListMeta{ResourceVersion: "1"},
	}
	for _, p := range pods {
		list.Items = append(list.Items, metav1.PartialObjectMetadata{
			TypeMeta:   metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"},
			ObjectMeta: metav1.ObjectMeta{Name: p.Name, Namespace: "default", UID: types.UID(p.UID)},
		})
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/v1/pods", func(w http.ResponseWriter, _ *http.Request) {
		asked.count("api list")
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(list) // who hung up is not answered
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		asked.count("api get")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_ = json.NewEncoder(w).Encode(metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
			Status: metav1.StatusFailure, Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound})
	})
	return mux
}
