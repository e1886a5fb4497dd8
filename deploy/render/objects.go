package render

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

// untyped are kinds whose Go types are not worth their dependencies. Nothing
// here checks their fields.
var untyped = map[string]bool{"SecurityContextConstraints": true, "PolicyException": true}

// Objects decodes manifests into the types of their APIs. A field that a type
// does not have is an error, as it is with strict server-side validation.
func Objects(manifests string) ([]runtime.Object, error) {
	types := runtime.NewScheme()
	if err := errors.Join(scheme.AddToScheme(types), monitoring.AddToScheme(types)); err != nil {
		return nil, err
	}
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, types, types, json.SerializerOptions{Yaml: true, Strict: true})
	var out []runtime.Object
	for d := yaml.NewYAMLReader(bufio.NewReader(strings.NewReader(manifests))); ; {
		doc, err := d.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("split the manifests: %w", err)
		}
		obj, err := decode(strict, doc)
		if err != nil {
			return nil, fmt.Errorf("%w in\n%s", err, doc)
		}
		if obj != nil {
			out = append(out, obj)
		}
	}
}

func decode(strict runtime.Decoder, doc []byte) (runtime.Object, error) {
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(doc, &u.Object); err != nil {
		return nil, err
	}
	if len(u.Object) == 0 {
		return nil, nil
	}
	if untyped[u.GetKind()] {
		return u, nil
	}
	obj, _, err := strict.Decode(doc, nil, nil)
	return obj, err
}
