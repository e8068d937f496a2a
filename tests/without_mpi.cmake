# Fails where a program loads a library of MPI, or one of those that only ranks and partitioners need.
# cmake -DPROGRAM=… -P without_mpi.cmake
cmake_minimum_required(VERSION 3.25)
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${PROGRAM} RESOLVED_DEPENDENCIES_VAR libraries UNRESOLVED_DEPENDENCIES_VAR missing)
list(LENGTH libraries count)
if(count EQUAL 0)
  message(FATAL_ERROR "${PROGRAM}: no library of it was found, so nothing can be said of it")
endif()
list(APPEND libraries ${missing})
list(FILTER libraries INCLUDE REGEX "/?lib(mpi|open-rte|open-pal|mpich|zoltan|trilinos|metis)[^/]*$")
if(libraries)
  message(FATAL_ERROR "${PROGRAM} loads ${libraries}")
endif()
message(STATUS "${count} libraries, none of them MPI's")
