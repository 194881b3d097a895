# The static gpurecv for nodes that have none (receiver/): receiver/gpurecv-MACHINE in the build directory, MACHINE as
# `uname -m` says it; installed below libexec/gpusend. gpusend finds it there, beside itself.
#   RECEIVER           for this machine: ON, OFF, or AUTO: where the static libraries are, and no sanitizers or fuzzing
#   RECEIVER_AARCH64   for aarch64 as well, by the cross compiler: the directory that receiver/sysroot-arm64.sh has made
set(RECEIVER AUTO CACHE STRING "build gpurecv as a static binary too: ON, OFF or AUTO")
set(RECEIVER_AARCH64 "" CACHE PATH "build one for aarch64 too, with the libraries in this directory")
include(ExternalProject)

file(RELATIVE_PATH libexec ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBEXECDIR}/gpusend)
target_compile_definitions(gpusend PRIVATE GPUSEND_LIBEXEC="${libexec}" GPUSEND_RECEIVERS="receiver")

# receiver(MACHINE ARGUMENTS...)
function(receiver machine)
  ExternalProject_Add(receiver-${machine}
    PREFIX ${CMAKE_BINARY_DIR}/receiver/${machine}
    SOURCE_DIR ${CMAKE_SOURCE_DIR}/receiver
    BINARY_DIR ${CMAKE_BINARY_DIR}/receiver/${machine}/build
    CMAKE_ARGS -DGPUSEND_VERSION=${PROJECT_VERSION} -DRECEIVER_DIR=${CMAKE_BINARY_DIR}/receiver -DWERROR=${WERROR}
      -DCMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER} ${ARGN}
    BUILD_ALWAYS ON
    INSTALL_COMMAND "")
  install(PROGRAMS ${CMAKE_BINARY_DIR}/receiver/gpurecv-${machine} DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/gpusend)
endfunction()

set(native ${RECEIVER})
if(RECEIVER STREQUAL "AUTO")
  set(native ON)
  foreach(library libarchive.a libzstd.a libsodium.a libc.a)
    find_library(STATIC_${library} ${library})
    mark_as_advanced(STATIC_${library})
    if(NOT STATIC_${library})
      message(STATUS "No static gpurecv: no ${library} on this machine")
      set(native OFF)
    endif()
  endforeach()
  if(SANITIZE OR FUZZ)
    set(native OFF)
  endif()
endif()
if(native)
  set(sodium)
  if(NEWER_SODIUM)
    set(sodium -DSODIUM_DIR=${CMAKE_BINARY_DIR}/sodium)
  endif()
  receiver(${CMAKE_SYSTEM_PROCESSOR} -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER} ${sodium})
endif()
if(RECEIVER_AARCH64 AND NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  receiver(aarch64 -DCMAKE_TOOLCHAIN_FILE=${CMAKE_SOURCE_DIR}/receiver/aarch64.cmake
    -DCMAKE_SYSROOT=${RECEIVER_AARCH64})
endif()
