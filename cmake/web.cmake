# The page of `ooze view`: built with npm from web/, compressed, and compiled into the library as a table of
# bytes. tools/web_page.py writes an empty table, with the reason, where the page cannot be built.
file(GLOB OOZE_WEB_SOURCES CONFIGURE_DEPENDS web/src/* web/*.json web/*.mjs web/*.html)
set(OOZE_WEB_TABLE ${CMAKE_BINARY_DIR}/web/assets.c)
# Builds that only tests use go without it.
set(web_switch "")
if(OOZE_SANITIZE OR OOZE_CUDA_ON_HOST)
  set(web_switch OOZE_WEB=off)
endif()
add_custom_command(OUTPUT ${OOZE_WEB_TABLE}
  COMMAND ${CMAKE_COMMAND} -E env ${web_switch} python3 ${PROJECT_SOURCE_DIR}/tools/web_page.py
          ${PROJECT_SOURCE_DIR}/web ${CMAKE_BINARY_DIR}/web
  DEPENDS ${OOZE_WEB_SOURCES} ${PROJECT_SOURCE_DIR}/tools/web_page.py
  COMMENT "Building the page of ooze view" VERBATIM)
target_sources(ooze_objects PRIVATE ${OOZE_WEB_TABLE})
