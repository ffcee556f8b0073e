# Compile settings and the helper functions that every folder's CMakeLists.txt uses.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

# Everything that a user runs, without tests and benchmarks: what tools/demo builds.
add_custom_target(product)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

option(WARPWAVE_WARNINGS_AS_ERRORS "Fail on a warning; off where a compiler that we don't test with has new ones" ON)
if(WARPWAVE_WARNINGS_AS_ERRORS)
  add_compile_options(-Werror)
endif()
add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -fno-math-errno -ffp-contract=off)
# A fresh clone has a fresh path: keep it out of the objects, so that ccache shares them between checkouts.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-restrict)  # g++ 12 reports std::string concatenation wrongly (GCC bug 105651)
endif()

add_compile_definitions($<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)

if(WARPWAVE_SANITIZE)
  string(REPLACE ";" "," sanitizers "${WARPWAVE_SANITIZE}")
  # The presets choose -O1 -g1: line tables are all that a report needs, the checks make -O2 slow to compile, and assertions stay.
  add_compile_options(-fsanitize=${sanitizers} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${sanitizers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-maybe-uninitialized)  # the checks hide initialisations from g++ (GCC manual, -fsanitize)
  endif()
endif()
if(WARPWAVE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  add_link_options(-fsanitize=address,undefined)
endif()

# warpwave_compile_together(TARGET COUNT): where headers (LLVM, CLI11, GoogleTest) cost more than the code, COUNT files are compiled
# in one piece, so that they are read once; and where the code's own speed hardly counts, -O1 will do. (Precompiled headers were
# tried: LLVM's are 200 MB, which saves no time, and ccache would not keep the objects.)
function(warpwave_compile_together target count)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${count})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# warpwave_library(NAME SOURCES ... [DEPS ...]): the static library ww_NAME of one folder under src/.
# Includes are written from src/ ("ptx/parser.h"). DEPS are ww_* libraries that stand below, or packages.
function(warpwave_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(ww_${name} STATIC ${ARG_SOURCES})
  target_include_directories(ww_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(ww_${name} PUBLIC ${ARG_DEPS})
endfunction()

# warpwave_backend(NAME SOURCES ... [DEPS ...]): the shared library libwarpwave-NAME.so of one back end, opened on
# first use by device/registry.cpp. It exports one C function, `warpwave_backend`.
function(warpwave_backend name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(warpwave-${name} MODULE ${ARG_SOURCES})
  target_include_directories(warpwave-${name} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(warpwave-${name} PRIVATE ${ARG_DEPS})
  add_dependencies(product warpwave-${name})
endfunction()

# warpwave_probe(NAME SOURCES ... [DEPS ...]): a program of the tests that asks any device.
function(warpwave_probe name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  foreach(backend sim cpu nvidia)
    if(TARGET warpwave-${backend})
      add_dependencies(${name} warpwave-${backend})
    endif()
  endforeach()
endfunction()

# warpwave_test(NAME SOURCES ... [DEPS ...] [LABELS ...] [BACKENDS ...]): a GoogleTest program run by CTest. It opens the
# back ends that it names, and is left out of builds that lack one.
function(warpwave_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LABELS;BACKENDS" ${ARGN})
  if(NOT WARPWAVE_TESTS)
    return()
  endif()
  foreach(backend ${ARG_BACKENDS})
    if(NOT TARGET warpwave-${backend})
      return()
    endif()
  endforeach()
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gtest GTest::gtest_main)
  warpwave_compile_together(${name} 4)
  target_compile_definitions(${name} PRIVATE WARPWAVE_SOURCE_DIR="${CMAKE_SOURCE_DIR}" WARPWAVE_BINARY_DIR="${CMAKE_BINARY_DIR}")
  add_test(NAME ${name} COMMAND ${name})
  if(ARG_LABELS)
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}")
  endif()
  foreach(backend ${ARG_BACKENDS})
    add_dependencies(${name} warpwave-${backend})
  endforeach()
endfunction()

# Folders arrive one by one; a folder without a CMakeLists.txt is not built.
function(warpwave_subdirectory_if_present folder)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
  endif()
endfunction()
