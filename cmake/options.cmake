# Compiler settings. The libraries get theirs as properties of their own targets (apart_settings), so that a project which
# includes this one as a subdirectory keeps its flags and decides about optimisation itself. Programs, tests and examples exist only
# where this project is the top level; they get the same by directory.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)

# apart_supported(VARIABLE FLAG ...): those flags that the compiler has
function(apart_supported variable)
  set(found)
  foreach(flag ${ARGN})
    string(MAKE_C_IDENTIFIER "APART_HAS${flag}" known)
    check_c_compiler_flag(${flag} ${known})
    if(${known})
      list(APPEND found ${flag})
    endif()
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()
set(CMAKE_REQUIRED_QUIET ON)

# No fused multiply-add behind our back: results must not depend on the CPU or the compiler.
# Vectors of four doubles stay inside the library, so how they would be passed to others (psabi) does not matter.
apart_supported(apart_arithmetic -ffp-contract=off -Wno-psabi)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^s390") # else ISO C computes there with doubles in place of floats
  apart_supported(apart_excess -fexcess-precision=fast)
  list(APPEND apart_arithmetic ${apart_excess})
endif()
if(MSVC)
  list(APPEND apart_arithmetic /fp:precise)
endif()
# No errno from sqrt; functions of one file may be inlined although a shared library exports them; and single numbers are not packed into
# vectors and unpacked again, which costs 2 to 4 % of a query between small hulls.
apart_supported(apart_query_options -ffunction-sections -fdata-sections -fno-math-errno -fno-semantic-interposition -fno-tree-slp-vectorize)

# apart_settings(TARGET): what a library of this project needs, whoever builds it.
function(apart_settings name)
  set_target_properties(${name} PROPERTIES C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${name} PRIVATE ${apart_arithmetic})
endfunction()
set(apart_libm m)
if(MSVC)
  set(apart_libm)
endif()

option(APART_WERROR "Treat warnings as errors" OFF)
set(APART_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined")
option(APART_COVERAGE "Instrument for gcov" OFF)
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Installed shared libraries and the program find each other under any prefix. The path of the build leaves no trace in them.
if(BUILD_SHARED_LIBS)
  set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
  set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
if(NOT MSVC)
  if(CMAKE_C_FLAGS_RELEASE STREQUAL CMAKE_C_FLAGS_RELEASE_INIT) # not said otherwise
    set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")
  endif()
  apart_supported(apart_warnings -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
  apart_supported(apart_c_warnings -Wstrict-prototypes)
endif()

add_compile_options(${apart_arithmetic} ${apart_warnings} "$<$<COMPILE_LANGUAGE:C>:${apart_c_warnings}>")
if(APART_WERROR)
  add_compile_options(-Werror)
endif()
if(APART_SANITIZE)
  add_compile_options(-fsanitize=${APART_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${APART_SANITIZE})
endif()
if(APART_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
