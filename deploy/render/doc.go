// Package render renders the Helm chart and the kustomize base as their tools
// would, without the tools: for tests, and to apply them where there is no helm.
package render
