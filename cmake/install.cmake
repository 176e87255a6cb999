# Installs the command, the headers, the scenes, and the library in two forms with a pkg-config file and a
# CMake target each: shared (ooze, ooze::ooze) and static (ooze-static, ooze::ooze_static).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS ooze libooze)
install(FILES $<TARGET_FILE:ooze_internal> DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME libooze.a)
install(DIRECTORY include/ooze DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/ooze)

install(FILES docs/scene.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/ooze)

# Manual pages and completions of shells, printed by the command itself. OOZE_ZSH_FOLDER: where the
# system's zsh looks for them, below share; Debian has another.
set(OOZE_ZSH_FOLDER zsh/site-functions CACHE STRING "Folder of zsh completions, below share")
set(help_folder ${PROJECT_BINARY_DIR}/help)
file(STRINGS src/cli/commands.c lines REGEX "ooze_command_[a-z]+")
string(REGEX MATCHALL "&ooze_command_[a-z]+" commands "${lines}")
list(TRANSFORM commands REPLACE "&ooze_command_" "")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/cli/commands.c)
set(help_files ${help_folder}/ooze.1)
set(help_commands COMMAND ooze help --man > ${help_folder}/ooze.1)
foreach(command ${commands})
  list(APPEND help_files ${help_folder}/ooze-${command}.1)
  list(APPEND help_commands COMMAND ooze help --man ${command} > ${help_folder}/ooze-${command}.1)
endforeach()
foreach(shell bash zsh fish)
  list(APPEND help_commands COMMAND ooze help --completion ${shell} > ${help_folder}/ooze.${shell})
endforeach()
add_custom_command(OUTPUT ${help_files} COMMAND ${CMAKE_COMMAND} -E make_directory ${help_folder}
  ${help_commands} DEPENDS ooze COMMENT "Writing manual pages and completions")
add_custom_target(ooze_help ALL DEPENDS ${help_files})
install(FILES ${help_files} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${help_folder}/ooze.bash RENAME ooze
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${help_folder}/ooze.zsh RENAME _ooze
  DESTINATION ${CMAKE_INSTALL_DATADIR}/${OOZE_ZSH_FOLDER})
install(FILES ${help_folder}/ooze.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

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
  set(CMAKE_INSTALL_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")
  set(CMAKE_INSTALL_LIBDIR \"${CMAKE_INSTALL_LIBDIR}\")
  set(CMAKE_INSTALL_DATADIR \"${CMAKE_INSTALL_DATADIR}\")
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
