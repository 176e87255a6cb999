# Installs the command, the headers, the scenes, and the library in two forms with a pkg-config file and a
# CMake target each: shared (ooze, ooze::ooze) and static (ooze-static, ooze::ooze_static).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS ooze libooze)
install(FILES $<TARGET_FILE:ooze_internal> DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME libooze.a)
install(DIRECTORY include/ooze DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/ooze)

# Libraries that a program links with the static library.
set(OOZE_STATIC_LIBRARIES ${YAML_LINK_LIBRARIES} ${CAIRO_LINK_LIBRARIES} ${HDF5_C_LIBRARIES})
if(OOZE_HAS_RENDER)
  list(APPEND OOZE_STATIC_LIBRARIES ${OOZE_EMBREE_LIBRARY} ${PNG_LINK_LIBRARIES})
endif()
if(OOZE_HAS_ODE)
  list(APPEND OOZE_STATIC_LIBRARIES ${ODE_LINK_LIBRARIES})
endif()
if(OOZE_DECIMATION AND OOZE_MESHOPT_WORKS)
  list(APPEND OOZE_STATIC_LIBRARIES ${OOZE_MESHOPT_LIBRARY})
endif()
if(OOZE_HAS_VIEW)
  list(APPEND OOZE_STATIC_LIBRARIES ${LWS_LINK_LIBRARIES})
endif()
if(OOZE_CUDA_ON_HOST)
  list(APPEND OOZE_STATIC_LIBRARIES gomp stdc++)
elseif(OOZE_HAS_CUDA)
  list(APPEND OOZE_STATIC_LIBRARIES ${CUDA_cudart_LIBRARY} stdc++)
endif()
if(OOZE_SANITIZE)
  list(APPEND OOZE_STATIC_LIBRARIES -fsanitize=${OOZE_SANITIZE})
endif()
list(APPEND OOZE_STATIC_LIBRARIES pthread dl m)
list(REMOVE_DUPLICATES OOZE_STATIC_LIBRARIES)
set(flags ${OOZE_STATIC_LIBRARIES})
list(TRANSFORM flags PREPEND "-l" REGEX "^[^/-]")
list(JOIN flags " " OOZE_STATIC_FLAGS)

# Written when installing, so that `cmake --install --prefix` is obeyed.
install(CODE "
  set(PROJECT_VERSION \"${PROJECT_VERSION}\")
  set(PROJECT_DESCRIPTION \"${PROJECT_DESCRIPTION}\")
  set(OOZE_STATIC_FLAGS \"${OOZE_STATIC_FLAGS}\")
  set(CMAKE_INSTALL_FULL_INCLUDEDIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
  set(CMAKE_INSTALL_FULL_LIBDIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
  foreach(name ooze ooze-static)
    configure_file(\"${PROJECT_SOURCE_DIR}/cmake/\${name}.pc.in\"
      \"${PROJECT_BINARY_DIR}/\${name}.pc\" @ONLY)
  endforeach()")
install(FILES ${PROJECT_BINARY_DIR}/ooze.pc ${PROJECT_BINARY_DIR}/ooze-static.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/ooze)
configure_package_config_file(cmake/ooze-config.cmake.in ${PROJECT_BINARY_DIR}/ooze-config.cmake
  INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ooze-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ooze-config.cmake
  ${PROJECT_BINARY_DIR}/ooze-config-version.cmake DESTINATION ${package})
