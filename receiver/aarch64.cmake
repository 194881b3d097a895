# The cross compiler of Debian for arm64. CMAKE_SYSROOT comes with it: what receiver/sysroot-arm64.sh has made.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
# There is no shared C library to link a trial with.
set(CMAKE_EXE_LINKER_FLAGS_INIT -static-pie)
