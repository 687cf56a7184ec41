package journal

import "sync"

// checksum continues the CRC-32C of what came before text (0 for nothing). The package hash/crc32
// computes a table of another kind whenever a program starts that links it: 1 % of the start of a shell (measured).
func checksum(before uint32, text []byte) uint32 {
	table, crc := castagnoli(), ^before
	for _, c := range text {
		crc = table[byte(crc)^c] ^ crc>>8
	}
	return ^crc
}

// castagnoli is what each byte changes: the remainders of division by Castagnoli's polynomial, lowest bit first.
var castagnoli = sync.OnceValue(func() *[256]uint32 {
	const polynomial = 0x82f63b78
	var table [256]uint32
	for i := range table {
		crc := uint32(i)
		for range 8 {
			crc = crc>>1 ^ crc&1*polynomial
		}
		table[i] = crc
	}
	return &table
})
