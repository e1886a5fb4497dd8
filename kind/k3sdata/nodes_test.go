package k3sdata

import (
	"testing"

	"github.com/hostgc/hostgc/kind/datadir/datadirtest"
)

func TestNodes(t *testing.T) { datadirtest.Run(t, Product(), "testdata") }
