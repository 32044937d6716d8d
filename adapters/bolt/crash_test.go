//go:build unix

package bolt_test

import (
	"path/filepath"
	"testing"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/adaptertest"
	"gpuadvisor/adapters/bolt"
)

func TestMain(m *testing.M) { adaptertest.Main(m, openPlace) }

func openPlace(path string) (adapters.Store, error) { return bolt.Open(path) }

func TestCrash(t *testing.T) {
	adaptertest.TestCrash(t, openPlace, func(t *testing.T) string { return filepath.Join(t.TempDir(), "crash.db") })
}
