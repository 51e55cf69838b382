# SPDX-License-Identifier: MIT
# Writes OUTPUT, a file in C with the digest of the code that reads and checks a manifest. A manifest that a build
# with the same digest has checked need not be checked again. Run when one of the files has changed:
#   cmake -D TREE=… -D OUTPUT=… -P reader.cmake
file(GLOB_RECURSE files RELATIVE ${TREE} ${TREE}/src/base/* ${TREE}/src/manifest/*)
list(SORT files)
set(digests "")
foreach(file IN LISTS files)
    file(SHA256 ${TREE}/${file} digest)
    string(APPEND digests "${digest} ${file}\n")
endforeach()
string(SHA256 digest "${digests}")
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
    "#include \"manifest/manifest.h\"\n\nconst char *manifest_reader(void)\n{\n    return \"${digest}\";\n}\n")
