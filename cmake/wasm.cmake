# The library and the page without a server, compiled by Emscripten to WebAssembly: see docs/wasm.md.
# Parts that need libraries of the system are left out: frame files, figures, renderer, server, ODE.
include(FetchContent)
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
# Debian's Emscripten uses Debian's packages of Node, which a Node from elsewhere does not look for.
set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK
  "${CMAKE_COMMAND} -E env NODE_PATH=$ENV{NODE_PATH}:/usr/share/nodejs")
option(OOZE_WASM_PAGE "Build the page too (npm)" ON)

# libyaml, from the same source as Debian's package.
set(OOZE_YAML_URL https://deb.debian.org/debian/pool/main/liby/libyaml/libyaml_0.2.5.orig.tar.gz
  CACHE STRING "Source of libyaml: an address or a file")
FetchContent_Declare(libyaml URL ${OOZE_YAML_URL}
  URL_HASH SHA256=fa240dbf262be053f3898006d502d514936c818e422afdcf33921c63bed9bf2e
  DOWNLOAD_EXTRACT_TIMESTAMP OFF)
FetchContent_GetProperties(libyaml)
if(NOT libyaml_POPULATED)
  FetchContent_Populate(libyaml) # its own build file is not used: it builds tests too
endif()
file(GLOB OOZE_YAML_SOURCES ${libyaml_SOURCE_DIR}/src/*.c)
add_library(yaml STATIC ${OOZE_YAML_SOURCES})
target_include_directories(yaml SYSTEM PUBLIC ${libyaml_SOURCE_DIR}/include)
target_compile_definitions(yaml PRIVATE YAML_VERSION_STRING="0.2.5" YAML_VERSION_MAJOR=0
  YAML_VERSION_MINOR=2 YAML_VERSION_PATCH=5)
target_compile_options(yaml PRIVATE -w)

set(left_out cli cuda mpi ode plot render rheology rheometer serve wasm)
list(JOIN left_out "|" left_out)
file(GLOB_RECURSE OOZE_SOURCES CONFIGURE_DEPENDS src/*.c)
list(FILTER OOZE_SOURCES EXCLUDE REGEX "/src/(${left_out})/|/src/features/without_")
list(FILTER OOZE_SOURCES EXCLUDE REGEX "/src/output/(frame_read|frame_write|hdf5_file)\\.c$")

target_compile_options(ooze_flags INTERFACE -msimd128)
add_library(ooze_wasm_library STATIC ${OOZE_SOURCES} src/features/without_frame_files.c)
target_include_directories(ooze_wasm_library PUBLIC include PRIVATE src)
target_compile_definitions(ooze_wasm_library PRIVATE OOZE_BUILD OOZE_VERSION="${PROJECT_VERSION}")
target_link_libraries(ooze_wasm_library PUBLIC ooze_flags yaml)

# Memory grows up to 2 GiB; the stack holds the buffers of readers and of the session.
set(OOZE_WASM_LINK -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=67108864 -sTOTAL_STACK=4194304)

# The module behind the page: one script that holds the WebAssembly.
add_executable(ooze_page src/wasm/page.c)
target_include_directories(ooze_page PRIVATE src)
target_link_libraries(ooze_page PRIVATE ooze_wasm_library)
target_link_options(ooze_page PRIVATE ${OOZE_WASM_LINK} --no-entry -sMODULARIZE=1
  -sEXPORT_NAME=createOoze -sSINGLE_FILE=1 -sENVIRONMENT=worker,node -sFORCE_FILESYSTEM=1
  -sEXPORTED_RUNTIME_METHODS=FS,ccall)

# A program of tests, which Node runs with the files of the system. In one file, as this Emscripten
# would fetch a second one, which Node 18 and later refuse.
add_executable(census tests/wasm/census.c)
target_link_libraries(census PRIVATE ooze_wasm_library)
target_link_options(census PRIVATE ${OOZE_WASM_LINK} -sSINGLE_FILE=1 -sENVIRONMENT=node -sNODERAWFS=1
  -sEXIT_RUNTIME=1)

# Its date is that of the last build, by which tests know whether the modules are those of the sources.
add_custom_target(built ALL COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/built)
add_dependencies(built ooze_page census)

# The page without a server: build-wasm/ooze.html.
if(OOZE_WASM_PAGE)
  file(GLOB OOZE_WEB_SOURCES CONFIGURE_DEPENDS web/src/* web/*.json web/*.mjs web/*.html
    scenes/live/*.yaml)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/ooze.html
    COMMAND python3 ${PROJECT_SOURCE_DIR}/tools/web_page.py ${PROJECT_SOURCE_DIR}/web
            ${CMAKE_BINARY_DIR}/web $<TARGET_FILE:ooze_page> ${PROJECT_SOURCE_DIR}/scenes
    DEPENDS ${OOZE_WEB_SOURCES} ${PROJECT_SOURCE_DIR}/tools/web_page.py ooze_page
    COMMENT "Building the page without a server" VERBATIM)
  add_custom_target(page ALL DEPENDS ${CMAKE_BINARY_DIR}/ooze.html)
endif()
