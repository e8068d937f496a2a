# What is installed where, and the packages made of it: cpack --config build/release/CPackConfig.cmake -G DEB (or TGZ).
include(GNUInstallDirs)
add_custom_target(programs)  # what a user runs, without the tests
foreach(program haloscope haloscope-worker haloscope-desktop)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    add_dependencies(programs ${program})
  endif()
endforeach()
install(TARGETS haloscope-bind LIBRARY DESTINATION lib/haloscope)  # found from the worker's folder
install(DIRECTORY resources/clusters resources/devices resources/experiments resources/manual resources/platforms
        resources/samples DESTINATION ${CMAKE_INSTALL_DATADIR}/haloscope
        PATTERN "*.db-*" EXCLUDE)  # what SQLite keeps beside an open recording
install(FILES resources/links.toml resources/dram.toml resources/energy.toml resources/graphs.toml DESTINATION ${CMAKE_INSTALL_DATADIR}/haloscope)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES resources/icons/haloscope.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
install(FILES packaging/share/haloscope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES packaging/share/io.github.haloscope.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
install(FILES packaging/share/haloscope-mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages RENAME haloscope.xml)
include(packaging/cmake/manual.cmake)
if(TARGET haloscope)  # made by the program itself, so that it never lags behind
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/completion/haloscope ${PROJECT_BINARY_DIR}/completion/_haloscope
    ${PROJECT_BINARY_DIR}/completion/haloscope.fish
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/completion
    COMMAND haloscope completion bash > ${PROJECT_BINARY_DIR}/completion/haloscope
    COMMAND haloscope completion zsh > ${PROJECT_BINARY_DIR}/completion/_haloscope
    COMMAND haloscope completion fish > ${PROJECT_BINARY_DIR}/completion/haloscope.fish
    DEPENDS haloscope VERBATIM)
  add_custom_target(completion ALL DEPENDS ${PROJECT_BINARY_DIR}/completion/haloscope)
  add_dependencies(programs completion)
  install(FILES ${PROJECT_BINARY_DIR}/completion/haloscope DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${PROJECT_BINARY_DIR}/completion/_haloscope DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${PROJECT_BINARY_DIR}/completion/haloscope.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# packages that no program shows as a library of its own: the "run" lines of packaging/dependencies
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS packaging/dependencies)
file(STRINGS packaging/dependencies run_lines REGEX "^run ")
list(TRANSFORM run_lines REPLACE "^run +" "")
list(JOIN run_lines ", " CPACK_DEBIAN_PACKAGE_DEPENDS)

set(CPACK_PACKAGE_NAME haloscope)
set(CPACK_PACKAGE_VENDOR "Haloscope")
set(CPACK_PACKAGE_CONTACT "Haloscope <haloscope@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "profiler and experiment workbench for distributed GCN training")
set(CPACK_PACKAGE_DESCRIPTION
    "Trains graph neural networks over MPI, records every worker's time, traffic and staleness in one file, and shows
 it: timelines, breakdowns, convergence, runs side by side.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)
