// Package leases is test support: it checks master leases in true time (S7, S7b).
package leases
