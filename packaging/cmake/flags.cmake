# halo_flags: what every target of ours is compiled with. halo_module: one folder, one OBJECT library.

# What every file is clean of. .ci/run makes errors of it (HALO_WERROR).
set(halo_warnings -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wconversion -Wsign-conversion)

add_library(halo_flags INTERFACE)
target_include_directories(halo_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_features(halo_flags INTERFACE cxx_std_20)
target_compile_options(halo_flags INTERFACE ${halo_warnings} -fno-math-errno -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(halo_flags INTERFACE -Wno-restrict -Wno-missing-field-initializers)  # false alarms on std::string sums (GCC bug 105651)
endif()
if(HALO_DOUBLE)
  target_compile_definitions(halo_flags INTERFACE HALO_DOUBLE=1)
endif()
if(HALO_FUZZ)
  target_compile_options(halo_flags INTERFACE -fsanitize-coverage=trace-pc)  # calls tests/fuzz/coverage.cpp
endif()
if(HALO_SANITIZE OR HALO_FUZZ)
  target_compile_options(halo_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined
                         -fno-omit-frame-pointer)
  target_link_options(halo_flags INTERFACE -fsanitize=address,undefined)
endif()
target_compile_definitions(halo_flags INTERFACE HALO_VERSION="${PROJECT_VERSION}")

# What most files include anyway, parsed once a target: half of the compiler's time. The presets dev and asan leave it out
# (CMAKE_DISABLE_PRECOMPILE_HEADERS), so that a file which forgets an include fails there.
set(halo_common_headers <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <cstdint> <filesystem> <fstream> <functional>
    <map> <memory> <mutex> <numeric> <optional> <random> <ranges> <set> <span> <sstream> <string> <string_view> <thread>
    <unordered_map> <utility> <variant> <vector>)

# halo_precompile(TARGET [<header>…]): the common headers, and those that this target's files share
function(halo_precompile target)
  target_precompile_headers(${target} PRIVATE ${halo_common_headers} ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    # GCC forgets that a precompiled header was the system's, and warns of the library's own code
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endfunction()

# The sources of a folder that have no header of their own: those register themselves.
function(halo_registering out folder)
  file(GLOB files RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  set(found)
  foreach(file ${files})
    string(REGEX REPLACE "\\.cpp$" ".h" header ${file})
    if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${header})
      list(APPEND found ${file})
    endif()
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# halo_links_none(TARGET LIBRARY…): fails where TARGET links one of these, through whatever others; called after all
# targets are there.
function(halo_links_none target)
  set(next ${target})
  set(linked)
  while(next)
    list(POP_FRONT next library)
    if(NOT TARGET ${library} OR library IN_LIST linked)
      continue()
    endif()
    list(APPEND linked ${library})
    foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
      get_target_property(links ${library} ${property})
      if(links)
        string(REGEX REPLACE "\\$<LINK_ONLY:([^>]+)>" "\\1" links "${links}")
        list(APPEND next ${links})
      endif()
    endforeach()
  endwhile()
  foreach(library ${ARGN})
    if(library IN_LIST linked)
      message(FATAL_ERROR "${target} links ${library}, which it must do without")
    endif()
  endforeach()
endfunction()

# halo_module(NAME [SOURCES a.cpp …] [REGISTERING x.cpp …] [LINK lib …] [PRECOMPILE <header> …])
# REGISTERING files have no header and add themselves to a registry; tests compare that list with what registered.
function(halo_module name)
  cmake_parse_arguments(M "" "" "SOURCES;REGISTERING;LINK;PRECOMPILE" ${ARGN})
  if(M_REGISTERING AND M_SOURCES)
    list(REMOVE_ITEM M_REGISTERING ${M_SOURCES})  # a second source of some header registers nothing
  endif()
  add_library(${name} OBJECT ${M_SOURCES} ${M_REGISTERING})
  target_link_libraries(${name} PUBLIC halo_flags ${M_LINK})
  list(LENGTH M_SOURCES sources)
  list(LENGTH M_REGISTERING registering)
  math(EXPR files "${sources} + ${registering}")
  if(files GREATER 7)  # parsing the headers once costs as much as parsing them for five files
    halo_precompile(${name} ${M_PRECOMPILE})
  endif()
  foreach(file ${M_REGISTERING})
    file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    set_property(GLOBAL APPEND PROPERTY HALO_REGISTERING_FILES ${relative})
  endforeach()
endfunction()
