#!/bin/bash -eu
# Builds every fuzz target of the module for OSS-Fuzz, with seeds from the corpus. OSS-Fuzz does not use the seeds that
# the targets themselves add.
cd "$SRC/culink"

# The helper of OSS-Fuzz rewrites the file of a target and builds it without go test, which ignores other test files. So
# this script renames all test files of the package to ordinary files. It also adds the shim that the helper needs.
go get github.com/AdamKorcz/go-118-fuzz-build/testing
grep -lr --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u | while read -r dir; do
  for file in "$dir"/*_test.go; do
    if ! grep -q '^package .*_test$' "$file"; then mv "$file" "${file%_test.go}_test_fuzz.go"; else rm "$file"; fi
  done
done
grep -r --include='*_test_fuzz.go' -o '^func Fuzz[A-Za-z]*' . | while IFS=: read -r file function; do
  target=${function#func }
  compile_native_go_fuzzer "github.com/culink/culink/$(dirname "${file#./}")" "$target" "$target"
done

# Seeds for the targets that read one file. Several files of the corpus have the same name, so each seed is named by a hash.
seeds() {
  local target=$1 dir file
  shift
  dir=$(mktemp -d)
  find corpus linker -type f -size -16k \( "$@" \) -print0 | while IFS= read -r -d '' file; do
    cp "$file" "$dir/$(sha256sum "$file" | cut -c1-16)"
  done
  zip -q -j -r "$OUT/${target}_seed_corpus.zip" "$dir"
}
seeds FuzzELF -name '*.cubin'
seeds FuzzText -name '*.cubin'
seeds FuzzArchive -name '*.a'
seeds FuzzFatbin -name '*.fatbin'
seeds FuzzWhatIsIn -name '*.o' -o -name '*.cubin'
