package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// authority is the certificate of one that ends at an instant, in PEM.
func authority(t *testing.T, end time.Time) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: end.AddDate(-1, 0, 0), NotAfter: end, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// While one authority takes the place of another, the file has both, and what the old one signed is renewed before it
// ends.
func TestAnAuthorityBeginsWithTheFirstInItsFileAndEndsWithTheLast(t *testing.T) {
	at := time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)
	file := filepath.Join(t.TempDir(), "ca.crt")
	old, next := authority(t, at), authority(t, at.AddDate(1, 0, 0))
	for _, c := range []struct {
		text []byte
		end  time.Time
	}{{old, at}, {append(old, next...), at.AddDate(1, 0, 0)}, {append(next, old...), at.AddDate(1, 0, 0)}} {
		require.NoError(t, os.WriteFile(file, c.text, 0o600))
		x := credentials{}
		_, err := x.readPool("peer_ca", file)
		require.NoError(t, err)
		require.Equal(t, []expiry{{"peer_ca", at.AddDate(-1, 0, 0), c.end}}, x.ends)
	}
	require.NoError(t, os.WriteFile(file, []byte("no certificate"), 0o600))
	x := credentials{}
	_, err := x.readPool("peer_ca", file)
	require.ErrorContains(t, err, "holds no certificate in PEM")
	require.Empty(t, x.ends)
}
