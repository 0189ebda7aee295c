package reloc

import "testing"

// TestNumbers checks that each constant is the number of the type in its comment.
func TestNumbers(t *testing.T) {
	for number, name := range map[uint32]string{
		CUDA32: "R_CUDA_32", CUDA64: "R_CUDA_64", TexHeaderIndex: "R_CUDA_TEX_HEADER_INDEX",
		SampHeaderIndex: "R_CUDA_SAMP_HEADER_INDEX", SampHeaderIndex0: "R_CUDA_SAMP_HEADER_INDEX_0",
		SurfHeaderIndex: "R_CUDA_SURF_HEADER_INDEX", Abs32At32: "R_CUDA_ABS32_32", Abs16At32: "R_CUDA_ABS16_32",
		Abs24At40: "R_CUDA_ABS24_40", Abs20At44: "R_CUDA_ABS20_44",
		ConstField21: "R_CUDA_CONST_FIELD21_38", ConstField22: "R_CUDA_CONST_FIELD22_37",
	} {
		if typ, _ := Lookup(number); typ.Name != name {
			t.Errorf("%d is %s, want %s", number, typ, name)
		}
	}
	for number, name := range map[uint32]string{
		MercuryAbs64: "R_MERCURY_ABS64", MercuryAbs32: "R_MERCURY_ABS32", MercuryTexHeaderIndex: "R_MERCURY_TEX_HEADER_INDEX",
		MercurySampHeaderIndex: "R_MERCURY_SAMP_HEADER_INDEX", MercurySurfHeaderIndex: "R_MERCURY_SURF_HEADER_INDEX",
	} {
		if typ, _ := LookupMercury(number); typ.Name != name {
			t.Errorf("%#x is %s, want %s", number, typ, name)
		}
	}
}
