# cmake -DROOT=folder -DLIST=file -DOUT=header -P readers_digest.cmake: a digest of names and contents of the files
# that LIST names below ROOT, for datasets/stamp.cpp.
file(STRINGS ${LIST} files)
set(digests)
foreach(file IN LISTS files)
  file(SHA256 ${ROOT}/${file} digest)
  string(APPEND digests "${digest} ${file}\n")
endforeach()
string(SHA256 digest "${digests}")
file(WRITE ${OUT} "#pragma once\n\nnamespace halo {\ninline constexpr const char* kReadersDigest = \"${digest}\";\n}\n")
