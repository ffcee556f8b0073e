# usage: cmake -DNM=nm "-DSCOPES=9devicelib2v3|..." "-DOBJECTS=a.o;..." -P level_symbols.cmake
# Objects that are compiled for an instruction set of their own define no symbol for the linker but those in the namespace
# ww::LIBRARY::LEVEL, here in its mangled form. Of any other function that several objects hold, an inline one of a header,
# the linker keeps one copy, and it might be the one that an older processor cannot run.
if(NOT OBJECTS)
  message(FATAL_ERROR "no objects to check")
endif()
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND ${NM} -P -g --defined-only ${object} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${text}")
  if(lines STREQUAL "")
    message(FATAL_ERROR "${object} defines nothing")
  endif()
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "^_ZN2ww(${SCOPES})[0-9]")
      message(NOTICE "${object} defines ${line}")
      set(failed TRUE)
    endif()
  endforeach()
endforeach()
if(failed)
  message(FATAL_ERROR "symbols that another level's object may define too")
endif()
