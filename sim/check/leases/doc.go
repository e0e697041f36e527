// Package leases is test support: the checker of master leases in true time, S7 and S7b.
package leases
