//go:build unix

package redis_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/adaptertest"
	"gpuadvisor/adapters/redis"
)

// certificate writes a certificate of 127.0.0.1, signed by itself, and its key.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", secret)
}

// TestTLS: rediss:// with a certificate that is known, and not with another.
func TestTLS(t *testing.T) {
	cert, key := certificate(t)
	port := adaptertest.FreePort(t)
	server := adaptertest.Redis(t, "--tls-port", port, "--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", cert,
		"--user", "bot", "on", ">secret", "~gb:*", "+@all")
	if server == nil {
		return
	}
	url := "rediss://bot:secret@127.0.0.1:" + port
	s := open(t, url+"?ca="+cert+"&cert="+cert+"&key="+key)
	out, err := s.Conversations().Commit(t.Context(), "a:b:c::d", adapters.Turn{MessageID: "1"})
	if err != nil || out.Version != 1 {
		t.Errorf("Commit over TLS = %+v, %v", out, err)
	}
	for what, url := range map[string]string{
		"an unknown certificate": url + "?cert=" + cert + "&key=" + key,
		"no certificate of ours": url + "?ca=" + cert,
		"no TLS":                 "redis://bot:secret@127.0.0.1:" + port,
	} {
		start := time.Now()
		if s, err := redis.Open(timeout(t, 500*time.Millisecond), url); err == nil {
			s.Close()
			t.Errorf("%s: got no error", what)
		} else if strings.Contains(err.Error(), "secret") || time.Since(start) > 3*time.Second {
			t.Errorf("%s: got %v after %v", what, err, time.Since(start))
		}
	}
	if _, err := redis.Open(t.Context(), url+"?cert="+cert+"&key="+key); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an unknown certificate: got %v, want an error that names it", err)
	}
}
