//go:build unix

package redis_test

import (
	"context"
	"testing"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/adaptertest"
	"gpuadvisor/adapters/redis"
)

func TestMain(m *testing.M) { adaptertest.Main(m, openPlace) }

func openPlace(url string) (adapters.Store, error) { return redis.Open(context.Background(), url) }

func TestCrash(t *testing.T) {
	server := adaptertest.Redis(t)
	if server == nil {
		return
	}
	adaptertest.TestCrash(t, openPlace, func(*testing.T) string {
		server.Flush()
		return server.URL()
	})
}
