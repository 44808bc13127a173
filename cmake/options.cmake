# Compiler settings shared by all targets: strict C17, warnings, and arithmetic that gives the same bits everywhere.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Installed shared libraries and the program find each other under any prefix.
if(BUILD_SHARED_LIBS)
  set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
endif()

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")

# No fused multiply-add behind our back: results must not depend on the CPU or the compiler.
# Vectors of four doubles stay inside the library, so how they would be passed to others (psabi) does not matter.
add_compile_options(-ffp-contract=off -Wno-psabi -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes)
option(APART_WERROR "Treat warnings as errors" OFF)
if(APART_WERROR)
  add_compile_options(-Werror)
endif()

set(APART_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined")
if(APART_SANITIZE)
  add_compile_options(-fsanitize=${APART_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${APART_SANITIZE})
endif()

option(APART_COVERAGE "Instrument for gcov" OFF)
if(APART_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
